# Makes each call of the client that Fanfare answers, and prints what the client returned, as JSON.
import json
import sys
import time
from dataclasses import asdict, is_dataclass

from unipost import UniPost
from unipost.errors import NotFoundError, ValidationError

url, key, picture = sys.argv[1:]
client = UniPost(api_key=key, base_url=url)
returned = {}


def keep(name, value):
    returned[name] = value
    return value


def wait_for_post(post_id):
    for _ in range(200):
        post = client.posts.get(post_id)
        if post.status not in ("pending", "publishing"):
            return post
        time.sleep(0.1)
    raise TimeoutError(f"{post_id} is still {post.status}")


def error_of(kind, call):
    try:
        call()
    except kind as error:
        return {"status": error.status, "code": error.code, "request_id": error.request_id}
    raise AssertionError(f"no {kind.__name__}")


account = keep("connected", client.accounts.connect(platform="sandbox", credentials={"handle": "ada"}))
keep("accounts", client.accounts.list(platform="sandbox", status="active"))
keep("accounts of the user", client.accounts.list(external_user_id="user/1"))
keep("account", client.accounts.get(account.id))
keep("health", client.accounts.health(account.id))
keep("capabilities", client.accounts.capabilities(account.id))
keep("platform capabilities", client.platforms.capabilities())

session = keep("session", client.connect.create_session(platform="sandbox", external_user_id="user/1"))
keep("session read", client.connect.get_session(session.id))
keep("users", client.users.list())
keep("user", client.users.get("user/1"))
keep("user missing", error_of(NotFoundError, lambda: client.users.get("user/2")))

webhook = keep(
    "webhook",
    client.webhooks.create(name="mine", url="https://example.com/hook", events=["post.published"]),
)
keep("webhooks", client.webhooks.list())
keep("webhook read", client.webhooks.get(webhook.id))
keep("webhook disabled", client.webhooks.update(webhook.id, active=False))
keep("webhook rotated", client.webhooks.rotate(webhook.id))
client.webhooks.delete(webhook.id)

created = dict(caption="Hello", account_ids=[account.id], idempotency_key="hello")
post = keep("created", client.posts.create(**created))
keep("replayed", client.posts.create(**created))
keep("published", wait_for_post(post.id))
keep("valid", client.posts.validate(caption="Hello again", account_ids=[account.id]))
keep("invalid", error_of(ValidationError, lambda: client.posts.create(account_ids=["sa_unknown"])))
draft = client.posts.create(caption="Draft", account_ids=[account.id], status="draft")
keep("updated", client.posts.update(draft.id, caption="Better draft"))
client.posts.publish(draft.id)
keep("draft published", wait_for_post(draft.id))
later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
scheduled = keep(
    "scheduled",
    client.posts.create(platform_posts=[{"account_id": account.id, "caption": "Later"}], scheduled_at=later),
)
keep("canceled", client.posts.cancel(scheduled.id))
client.posts.delete(scheduled.id)
keep("bulk", client.posts.bulk_create([{"caption": "One of many", "account_ids": [account.id]}]))
rejected = client.posts.create(caption="No [sandbox outcome=rejected]", account_ids=[account.id])
failed = keep("failed", wait_for_post(rejected.id))
keep("retried", client.posts.retry_result(rejected.id, failed.results[0].id))
keep("listed", list(client.posts.list_all(limit=2, platform="sandbox")))

media_id = client.media.upload_file(picture)
keep("media", client.media.get(media_id))
pictured = client.posts.create(caption="Picture", account_ids=[account.id], media_ids=[media_id])
keep("post with media", wait_for_post(pictured.id))
unused = keep("upload", client.media.upload(filename="a.png", content_type="image/png", size_bytes=10))
client.media.delete(unused.media_id)

api_key = keep("api key", client.api_keys.create(name="second", environment="test"))
keep("api keys", client.api_keys.list())
client.api_keys.revoke(api_key.id)
keep("platform credentials", client.platform_credentials.list())
client.accounts.disconnect(account.id)
keep("disconnected", client.accounts.list(status="disconnected"))

print(json.dumps(returned, default=lambda value: asdict(value) if is_dataclass(value) else str(value)))
