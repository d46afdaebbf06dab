# SPDX-License-Identifier: Apache-2.0
"""Validation: checks made from the plan, evidence gathered from nodes and switches, verdicts, findings, reports.

The way of the data: ``catalogue`` (what has to hold, known before anything runs) → the probe on each node and the
evidence of the switches → ``judge`` (each check passes, fails, warns or was not run) → ``diagnose`` (what is wrong,
where, what to do) → ``report``. Nothing here touches a machine except ``evidence``; everything else takes data and
returns data.
"""
