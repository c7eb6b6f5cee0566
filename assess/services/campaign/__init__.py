"""Campaigns with their members and topics."""
