"""Time in games: controls, deadlines, reminders, and what happens when time is out.

``control`` reads a time control, ``calendar`` knows when time runs, ``reckon`` computes
deadlines. All of them are pure: the present moment is always an argument.
"""
