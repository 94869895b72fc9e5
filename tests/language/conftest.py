"""How the properties of the language are tested: by what they find, never by how long they take."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("language", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("language")
