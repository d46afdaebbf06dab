# SPDX-License-Identifier: Apache-2.0
"""The same cluster as virtual machines: real firmware, real kernels, real PXE, by Vagrant and libvirt.

`site` says which machines and networks the Vagrantfile at the root makes, `recipe` and `box` make the disk that they
boot from, `room` is a namespace with a libvirtd of its own, `fabric` joins the networks as the wire does, and `vms` is
all of it as a rehearsal uses it.
"""

from flathood.vms.vms import Vms

__all__ = ["Vms"]
