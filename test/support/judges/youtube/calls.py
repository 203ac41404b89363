# Makes each call of Google's own client that Fanfare makes, and prints what the client returned, as JSON.
# Also checks Fanfare's calls against the discovery document that comes with the client.
import json
import sys

from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import DISCOVERY_DOC_DIR
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaFileUpload

given = json.loads(sys.argv[1])
with open(f"{DISCOVERY_DOC_DIR}/youtube.v3.json") as file:
    document = json.load(file)
document["rootUrl"] = document["baseUrl"] = given["url"] + "/"


def client_of(token):
    return build_from_document(document, credentials=Credentials(token))


def insert(client, body):
    media = MediaFileUpload(given["file"], mimetype="video/mp4", chunksize=262144, resumable=True)
    parameters = dict(part="snippet,status", notifySubscribers=False)
    request = client.videos().insert(body=body, media_body=media, **parameters)
    answer, progress = None, []
    while answer is None:
        status, answer = request.next_chunk()
        if status:
            progress.append(status.resumable_progress)
    return answer, progress


def reason_of(call):
    try:
        call()
    except HttpError as error:
        return {"status": error.status_code, "reason": error.error_details[0]["reason"]}
    raise AssertionError("not refused")


youtube = client_of(given["token"])
returned = {"revision": document["revision"]}
returned["channels"] = youtube.channels().list(part="snippet,contentDetails", mine=True).execute()
returned["video"], returned["progress"] = insert(youtube, given["body"])
playlist = returned["channels"]["items"][0]["contentDetails"]["relatedPlaylists"]["uploads"]
items = youtube.playlistItems()
asked = items.list(part="snippet,contentDetails", playlistId=playlist, maxResults=1)
returned["uploads"] = asked.execute()
returned["next uploads"] = items.list_next(asked, returned["uploads"]).execute()
video_id = returned["video"]["id"]
youtube.videos().list(part="status", id=video_id).execute()
returned["videos"] = youtube.videos().list(part="snippet,status,fileDetails", id=video_id).execute()
images = MediaFileUpload(given["thumbnail"], mimetype="image/jpeg")
returned["thumbnail"] = youtube.thumbnails().set(videoId=video_id, media_body=images).execute()
resource = {"kind": "youtube#video", "videoId": video_id}
item = {"snippet": {"playlistId": given["playlist"], "resourceId": resource}}
items.insert(part="snippet", body=item).execute()
returned["item"] = items.list(
    part="snippet", playlistId=given["playlist"], videoId=video_id
).execute()
youtube.videos().list(part="snippet", id=video_id).execute()
edit = {"id": video_id, "snippet": given["snippet"]}
returned["edited"] = youtube.videos().update(part="snippet", body=edit).execute()
returned["refused"] = {
    "no title": reason_of(lambda: insert(youtube, {"snippet": {"title": ""}, "status": {}})),
    "long tags": reason_of(
        lambda: insert(youtube, {"snippet": {"title": "a", "tags": ["b" * 501]}, "status": {}})
    ),
    "edit without a category": reason_of(
        lambda: youtube.videos()
        .update(part="snippet", body={"id": video_id, "snippet": {"title": "a"}})
        .execute()
    ),
    "other playlist": reason_of(
        lambda: items.list(part="snippet", playlistId="UUother").execute()
    ),
}
youtube.videos().delete(id=video_id).execute()
returned["refused"]["second delete"] = reason_of(
    lambda: youtube.videos().delete(id=video_id).execute()
)


def problems_of(name, value, schema):
    """What the discovery document says against a value."""
    if "$ref" in schema:
        schema = document["schemas"][schema["$ref"]]
    kinds = {"string": str, "boolean": bool, "array": list, "object": dict}
    kind = schema.get("type")
    if kind in kinds and not isinstance(value, kinds[kind]):
        return [f"{name} is no {kind}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{name} is {value}"]
    if isinstance(value, list):
        return [p for each in value for p in problems_of(name, each, schema["items"])]
    if not isinstance(value, dict):
        return []
    known = schema.get("properties", {})
    unknown = [f"{name}.{member} is unknown" for member in value if member not in known]
    return unknown + [
        problem
        for member, each in value.items()
        if member in known
        for problem in problems_of(f"{name}.{member}", each, known[member])
    ]


def problems_of_call(call):
    methods = {
        ("POST", "/upload/youtube/v3/videos"): ("videos", "insert"),
        ("GET", "/youtube/v3/channels"): ("channels", "list"),
        ("GET", "/youtube/v3/playlistItems"): ("playlistItems", "list"),
        ("GET", "/youtube/v3/videos"): ("videos", "list"),
        ("PUT", "/youtube/v3/videos"): ("videos", "update"),
        ("DELETE", "/youtube/v3/videos"): ("videos", "delete"),
        ("POST", "/youtube/v3/playlistItems"): ("playlistItems", "insert"),
        ("POST", "/upload/youtube/v3/thumbnails/set"): ("thumbnails", "set"),
    }
    resource, method = methods[(call["method"], call["path"])]
    description = document["resources"][resource]["methods"][method]
    protocol = {"uploadType"} if call["path"].startswith("/upload/") else set()
    found = [
        f"{resource}.{method} has no {name}"
        for name in call["query"]
        if name not in description["parameters"] and name not in protocol
    ]
    found += [
        f"{resource}.{method} needs {name}"
        for name, parameter in description["parameters"].items()
        if parameter.get("required") and name not in call["query"]
    ]
    if call["body"] is not None:
        found += problems_of("body", call["body"], description["request"])
    return found


returned["problems"] = [problem for call in given["calls"] for problem in problems_of_call(call)]
print(json.dumps(returned))
