"""Publishes to a page of Facebook with Meta's client for Python, which sends files, and prints what it made of each answer."""
import json
import os

from facebook_business import video_uploader
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.pagepost import PagePost
from facebook_business.adobjects.user import User
from facebook_business.api import FacebookAdsApi
from facebook_business.exceptions import FacebookRequestError
from facebook_business.session import FacebookSession

given = json.loads(os.environ['INPUT'])
FacebookSession.GRAPH = os.environ['GRAPH_URL']
version = 'v25.0'


class Api(FacebookAdsApi):
    """The uploader of videos knows only the edge of ad accounts, and another host."""

    def call(self, method, path, *arguments, **options):
        options.pop('url_override', None)
        if not isinstance(path, str):
            path = tuple('videos' if part == 'advideos' else part for part in path)
        return super().call(method, path, *arguments, **options)


def open_api(token):
    return Api(FacebookSession(given['appId'], given['appSecret'], token), version)


api = open_api(given['pageToken'])
page = Page(given['page'], api=api)


def to_data(found):
    if hasattr(found, 'export_all_data'):
        return found.export_all_data()
    if hasattr(found, 'json'):
        return found.json()
    return [to_data(each) for each in found] if not isinstance(found, dict) else found


def step(name, call):
    try:
        data = to_data(call())
        print(json.dumps({'step': name, 'data': data}))
        return data
    except FacebookRequestError as error:
        shown = {
            'status': error.http_status(),
            'code': error.api_error_code(),
            'subcode': error.api_error_subcode(),
            'message': error.api_error_message(),
        }
        print(json.dumps({'step': name, 'error': shown}))
        return {}


user = User('me', api=open_api(given['userToken']))
of_page = ['id', 'name', 'access_token', 'tasks']
step('accounts', lambda: user.get_accounts(fields=of_page, params={'limit': 1}))

photos = []
for path in given['images']:
    with open(path, 'rb') as file:
        photos.append(
            step(
                f'photo {len(photos) + 1}',
                lambda: api.call(
                    'POST',
                    (given['page'], 'photos'),
                    params={'published': False, 'alt_text_custom': 'Noise'},
                    files={'source': file},
                ),
            )
        )
attached = [{'media_fbid': photo['id']} for photo in photos]
post = step(
    'photos',
    lambda: page.create_feed(fields=['id'], params={'message': 'Two', 'attached_media': attached}),
)
step('photos again', lambda: page.create_feed(params={'message': 'Two', 'attached_media': attached}))
step('posts', lambda: page.get_published_posts(fields=['id', 'message'], params={'limit': 100}))
step(
    'comment',
    lambda: PagePost(post['id'], api=api).create_comment(params={'message': 'First!'}),
)


def upload():
    """By the client's own uploader, which also reads the range that a refusal names."""
    context = video_uploader.VideoUploadRequestContext()
    context.account_id = given['page']
    context.file_path = given['video']
    context.file_name = 'A film'
    context.file_size = os.path.getsize(given['video'])
    started = video_uploader.VideoUploadStartRequestManager(api).send_request(context).json()
    context.session_id = started['upload_session_id']
    context.start_offset = int(started['start_offset'])
    context.end_offset = int(started['end_offset'])
    # The first range arrives, as if its answer were lost: the uploader sends it again.
    with open(given['video'], 'rb') as file:
        chunk = file.read(context.end_offset)
    api.call(
        'POST',
        (given['page'], 'videos'),
        params={
            'upload_phase': 'transfer',
            'upload_session_id': context.session_id,
            'start_offset': 0,
        },
        files={'video_file_chunk': ('video.mp4', chunk, 'multipart/form-data')},
    )
    video_uploader.VideoUploadTransferRequestManager(api).send_request(context)
    finished = video_uploader.VideoUploadFinishRequestManager(api).send_request(context).json()
    return {'id': started['video_id'], **finished}


video = step('video', upload)
step('video status', lambda: api.call('GET', (video['id'],), params={'fields': 'status'}))

# With the status 200.
step('error in a 200', lambda: page.create_feed(params={'text': 'Hello'}))
