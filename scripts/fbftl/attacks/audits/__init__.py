"""Audits: does a mechanism's code keep the guarantee that is stated for it?"""
