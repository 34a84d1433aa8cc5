"""Whether calls change what their callable holds: elsewhere, that would be lost.

_state        seen: what it holds is looked at before the first call, and again later; by _marks of values,
              which are the same in every process and made by _picklers; what is _kept_by_caches too, not
              what is _filled in where it is asked for; of items by their _parts
_alterations  foretold: whether its code would, in the _callees of a call, by _searches through them along
              _trails of what is _within it; and by _renewals, where a name or an attribute is bound anew, by
              the _places that are loaded and kept
_stores       whether its code stores anything outside its own variables
"""
