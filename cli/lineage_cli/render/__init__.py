"""How reports look: functions of their JSON, so that what is printed is what programs read."""
