# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation of flathood.cluster.labels, which runs on the controller as an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
module: labels
short_description: Make labels, switch sheets and cable lists
version_added: 0.1.0
description:
  - Makes what people need to cable a cluster, from its C(cluster.yml) and C(wiring.yml). That is a label for each
    machine and switch, a sheet for each switch, what to get, every cable by colour and length, and a picture of it all.
  - The same input gives the same bytes, so a second run changes nothing.
  - It runs on the controller and makes no connection, whatever machine the task is for. Run it once per play.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.controller
  - flathood.cluster.idempotent
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.conn
  - ansible.builtin.action_common_attributes.flow
attributes:
  diff_mode:
    support: partial
    details: It shows the difference of what is plain text; of all other files only that they change.
options:
  src:
    description: The cluster's folder on the controller, or the C(cluster.yml) in it.
    type: path
    required: true
  directory:
    description:
      - Where the files are written; made if it is not there. By default C(build/CLUSTER/labels) of the checkout.
    type: path
  formats:
    description: What to make. V(pdf) is for printers, V(svg) for screens, V(text) for terminals.
    type: list
    elements: str
    choices: [pdf, svg, text]
    default: [pdf, svg, text]
  paper:
    description:
      - Paper of the labels, by the maker's name such as V(avery-l7163) (C(flathood labels --papers) lists them), V(a4)
        or V(letter) to be cut, or the size of one label in millimetres such as V(62x29) for a label printer.
    type: str
    default: a4
  office:
    description: Paper of sheets and lists; by default that of the labels where it is such, else V(a4).
    type: str
    choices: [a4, letter]
  report:
    description:
      - Where the QR codes lead, the address of the validation report, to which C(#NAME) is added; or an address with
        C({}) for the machine's name.
      - By default C(http://HEAD/report.html). An empty one leaves the codes out.
    type: str
  only:
    description: Only the labels of these machines and switches, in files of their own (C(reprint.pdf)).
    type: list
    elements: str
    default: []
  skip:
    description: How many labels of the first page are used already.
    type: int
    default: 0
  outline:
    description: Draw the edges of the labels, to try a printer with plain paper.
    type: bool
    default: false
  mono:
    description: Labels and sheets without colours, for printers that have one ink. The letters tell the colours.
    type: bool
    default: false
seealso:
  - module: flathood.cluster.design
"""

EXAMPLES = r"""
- name: Make labels, sheets and lists
  flathood.cluster.labels:
    src: inventories/klat2
    paper: avery-l7163
    report: https://cluster.example.org/report.html
  run_once: true

- name: Print two labels again, on a page of which three are used
  flathood.cluster.labels:
    src: inventories/klat2
    paper: avery-l7163
    only: [k17, red]
    skip: 3
  run_once: true
"""

RETURN = r"""
directory:
  description: Where the files are.
  returned: success
  type: str
  sample: build/klat2/labels
files:
  description: Names of all files that were made.
  returned: success
  type: list
  elements: str
  sample: [labels.pdf, labels.txt, sheets.pdf]
changed_files:
  description: Names of those that were or would be written, and of numbered pages that are or would be removed.
  returned: success
  type: list
  elements: str
  sample: [labels.pdf]
"""
