# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

# Prints as JSON what Vagrant itself reads in the Vagrantfile of a folder; needs no libvirt.
require 'json'
require 'vagrant'

environment = Vagrant::Environment.new(cwd: ARGV.fetch(0))
machines = environment.machine_names.map do |name|
  config = environment.vagrantfile.machine_config(name, :libvirt, environment.boxes)[:config]
  provider = config.vm.get_provider_config(:libvirt)
  networks = config.vm.networks.select { |kind, _| kind == :private_network }.map(&:last)
  { name: name, box: config.vm.box, driver: provider.driver, memory: provider.memory, networks: networks,
    boot: provider.boot_order, setup: config.vm.provisioners.map { |each| each.config.inline } }
end
puts JSON.generate(machines)
