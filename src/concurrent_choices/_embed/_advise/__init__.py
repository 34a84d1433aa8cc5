"""The command `concurrent-choices advise`: an application is driven with requests, and says what to change.

_loading   the application, from where it can be imported
_openapi   requests made up from its OpenAPI description
_exchange  one request and its answer, and the lifespan around them all, without a server
_watch     breaks off what holds the loop for too long
_drive     all of that, with the advisor around the application
"""
