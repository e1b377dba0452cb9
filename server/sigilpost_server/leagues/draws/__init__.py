"""Draws: who meets whom, and in which seats. Entrants are numbers from 0 in seed order."""
