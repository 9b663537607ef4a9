"""Profiler traces of ranks: captured, read however broken, summed up, compared, merged and handed to Perfetto."""
