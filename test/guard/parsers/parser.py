"""Shows what Django or Werkzeug has read of a request, as JSON. Both are served by Werkzeug."""
import base64, json, sys
from werkzeug.serving import run_simple
from werkzeug.wrappers import Request, Response

def text(content):
    return base64.b64encode(content).decode()

def shown(fields, files, body):
    read = [{'fields': list(fields.lists())}] if fields else []
    read += [{'field': field, 'name': getattr(file, 'filename', None) or file.name, 'type': file.content_type, 'bytes': text(file.read())}
             for field, all in files.lists() for file in all]
    return json.dumps(read or [{'bytes': text(body())}])

@Request.application
def application(request):
    return Response(shown(request.form, request.files, request.get_data))

if sys.argv[1] == 'django':
    from django.conf import settings
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse
    from django.urls import re_path
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=['*'], SECRET_KEY='secret')
    view = lambda request: HttpResponse(shown(request.POST, request.FILES, lambda: request.body))
    urlpatterns = [re_path('', view)]
    application = get_wsgi_application()

run_simple('127.0.0.1', int(sys.argv[2]), application, threaded=True)
