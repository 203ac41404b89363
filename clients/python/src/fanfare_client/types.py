"""The types of requests and answers. An answer may have more members, and more values, than these.

Written by `scripts/generate.py`. Don't edit this file.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


class PostPublishedMessage(TypedDict):
    """All platforms published successfully."""

    event: Literal["post.published"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: PostEventData


class PostEventData(TypedDict):
    """Data of an event about a post."""

    id: str
    """Unique ID."""

    caption: str
    """Text of the post."""

    status: str
    """Post status.

    Known values:

    - `draft`: Not published until you publish or schedule it.
    - `scheduled`: Published at its scheduled time.
    - `pending`: Being published.
    - `published`: Every target was published.
    - `partial`: Some targets were published and some failed.
    - `failed`: Every target failed.
    - `canceled`: Canceled before any target was published.
    """

    created_at: str
    """Time of creation."""

    updated_at: str
    """Time of the last change of the post or of one of its results."""

    revision: int
    """Number that grows with each change of the post or of one of its results. Of two answers, the one with the higher number is newer."""

    scheduled_at: str | None
    """Time when the post is to be published. Null if none was set."""

    published_at: str | None
    """Time when the post was published. Null until then."""

    metadata: dict[str, str]
    """Your own key-value pairs. Events include them."""

    labels: list[str]
    """Your own labels, in the order in which you gave them. Events include them."""

    results: list[PostEventResult]
    """One result per target."""


class PostEventResult(TypedDict):
    """The result of a post at one target."""

    id: str
    """Unique ID."""

    social_account_id: str
    """ID of the connected account."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    account_name: str
    """Account's name on its network."""

    thread_position: int | None
    """Position in the thread of the account. Null if it is not part of a thread."""

    status: str
    """Target status.

    Known values:

    - `pending`: Waiting to be published.
    - `publishing`: Being published.
    - `published`: Published on the network. `visibility` says who can see the post.
    - `failed`: Failed. `error_code` gives the reason.
    - `canceled`: Canceled before it was sent.
    - `unpublished`: Was published, and has been removed from the network.
    """

    external_id: str | None
    """ID on the network. Null until published, and on a network that gives none."""

    url: str | None
    """URL on the network. Null until published, and on a network without such pages."""

    visibility: str | None
    """Who can see the post. One of `public`, `unlisted`, `followers`, `private` and `draft`. More values may follow. Null until published, and on a network that does not report it."""

    published_at: str | None
    """Time of publication. Null until published."""

    edited_at: str | None
    """Time of the last edit at the network. Null if there was none."""

    unpublished_at: str | None
    """Time when the post was found to be removed from the network. Null until then."""

    error_code: str | None
    """Stable code of the failure. Null if there was no failure."""

    error_message: str | None
    """Description of the failure. Null if there was no failure."""

    error_hint: str | None
    """How to fix the failure. Null if there was no failure."""

    failure_stage: str | None
    """Phase of the failure. Null if there was no failure.

    Known values:

    - `validate`: The content was refused before anything was sent.
    - `prepare`: Steps before the post, which can be repeated safely.
    - `commit`: The one call that makes the post public.
    - `confirm`: Checks whether the network has finished processing the post.
    - `reconcile`: Checks whether the post is public after the response to the commit was lost.
    """

    is_retriable: bool
    """Whether a retry can succeed without another change."""

    next_action: str
    """What you can do next.

    Known values:

    - `none`: Nothing.
    - `edit_content`: Change the content and create a new post.
    - `retry`: Retry the target.
    - `reconnect_account`: Have the user connect the account again.
    - `check_network`: Check on the network whether the post is public.
    - `wait`: Wait, then retry the target.
    - `contact_operator`: Contact the operator of this installation.
    - `finish_in_app`: Have the owner of the account publish the draft in the network's app.
    """

    first_comment: PostEventComment | None
    """First comment under the post. Null if there is none."""

    steps: list[PostEventStep]
    """Steps after the publication. Empty if there are none."""


class PostEventComment(TypedDict):
    """The first comment under the post of a target."""

    id: str
    """Unique ID. Use it to list the attempts. To retry the comment, use the ID of the result."""

    text: str
    """Text of the comment."""

    status: str
    """Target status.

    Known values:

    - `pending`: Waiting to be published.
    - `publishing`: Being published.
    - `published`: Published on the network. `visibility` says who can see the post.
    - `failed`: Failed. `error_code` gives the reason.
    - `canceled`: Canceled before it was sent.
    - `unpublished`: Was published, and has been removed from the network.
    """

    external_id: str | None
    """ID on the network. Null until published, and on a network that gives none."""

    url: str | None
    """URL on the network. Null until published, and on a network without such pages."""

    visibility: str | None
    """Who can see the post. One of `public`, `unlisted`, `followers`, `private` and `draft`. More values may follow. Null until published, and on a network that does not report it."""

    published_at: str | None
    """Time of publication. Null until published."""

    edited_at: str | None
    """Time of the last edit at the network. Null if there was none."""

    unpublished_at: str | None
    """Time when the post was found to be removed from the network. Null until then."""

    error_code: str | None
    """Stable code of the failure. Null if there was no failure."""

    error_message: str | None
    """Description of the failure. Null if there was no failure."""

    error_hint: str | None
    """How to fix the failure. Null if there was no failure."""

    failure_stage: str | None
    """Phase of the failure. Null if there was no failure.

    Known values:

    - `validate`: The content was refused before anything was sent.
    - `prepare`: Steps before the post, which can be repeated safely.
    - `commit`: The one call that makes the post public.
    - `confirm`: Checks whether the network has finished processing the post.
    - `reconcile`: Checks whether the post is public after the response to the commit was lost.
    """

    is_retriable: bool
    """Whether a retry can succeed without another change."""

    next_action: str
    """What you can do next.

    Known values:

    - `none`: Nothing.
    - `edit_content`: Change the content and create a new post.
    - `retry`: Retry the target.
    - `reconnect_account`: Have the user connect the account again.
    - `check_network`: Check on the network whether the post is public.
    - `wait`: Wait, then retry the target.
    - `contact_operator`: Contact the operator of this installation.
    - `finish_in_app`: Have the owner of the account publish the draft in the network's app.
    """


class PostEventStep(TypedDict):
    """A step after the publication of a target."""

    id: str
    """Unique ID. Use it to list the attempts. To retry the step, use the ID of the result."""

    name: str
    """Name of the step, such as `thumbnail`."""

    status: str
    """Target status.

    Known values:

    - `pending`: Waiting to be published.
    - `publishing`: Being published.
    - `published`: Published on the network. `visibility` says who can see the post.
    - `failed`: Failed. `error_code` gives the reason.
    - `canceled`: Canceled before it was sent.
    - `unpublished`: Was published, and has been removed from the network.
    """

    external_id: str | None
    """ID on the network. Null until published, and on a network that gives none."""

    url: str | None
    """URL on the network. Null until published, and on a network without such pages."""

    visibility: str | None
    """Who can see the post. One of `public`, `unlisted`, `followers`, `private` and `draft`. More values may follow. Null until published, and on a network that does not report it."""

    published_at: str | None
    """Time of publication. Null until published."""

    edited_at: str | None
    """Time of the last edit at the network. Null if there was none."""

    unpublished_at: str | None
    """Time when the post was found to be removed from the network. Null until then."""

    error_code: str | None
    """Stable code of the failure. Null if there was no failure."""

    error_message: str | None
    """Description of the failure. Null if there was no failure."""

    error_hint: str | None
    """How to fix the failure. Null if there was no failure."""

    failure_stage: str | None
    """Phase of the failure. Null if there was no failure.

    Known values:

    - `validate`: The content was refused before anything was sent.
    - `prepare`: Steps before the post, which can be repeated safely.
    - `commit`: The one call that makes the post public.
    - `confirm`: Checks whether the network has finished processing the post.
    - `reconcile`: Checks whether the post is public after the response to the commit was lost.
    """

    is_retriable: bool
    """Whether a retry can succeed without another change."""

    next_action: str
    """What you can do next.

    Known values:

    - `none`: Nothing.
    - `edit_content`: Change the content and create a new post.
    - `retry`: Retry the target.
    - `reconnect_account`: Have the user connect the account again.
    - `check_network`: Check on the network whether the post is public.
    - `wait`: Wait, then retry the target.
    - `contact_operator`: Contact the operator of this installation.
    - `finish_in_app`: Have the owner of the account publish the draft in the network's app.
    """


class PostFailedMessage(TypedDict):
    """All platforms failed."""

    event: Literal["post.failed"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: PostEventData


class PostPartialMessage(TypedDict):
    """Some platforms succeeded and some failed."""

    event: Literal["post.partial"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: PostEventData


class AccountConnectedMessage(TypedDict):
    """A user connected a social account (connect flow or dashboard)."""

    event: Literal["account.connected"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: ConnectedEventData


class ConnectedEventData(TypedDict):
    """Data of an event about a connected account."""

    social_account_id: str
    """ID of the connected account."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    account_name: str
    """Account's name on its network."""

    external_user_id: str | None
    """ID, in your system, of the user who owns the account. Null if you set none."""

    connection_type: str
    """How the account was connected.

    Known values:

    - `managed`: The user connected the account on the hosted page.
    - `byo`: You connected the account with credentials of your own.
    """


class AccountDisconnectedMessage(TypedDict):
    """An account was disconnected or its token permanently expired."""

    event: Literal["account.disconnected"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: DisconnectedEventData


class DisconnectedEventData(TypedDict):
    """Data of an event about a disconnected account."""

    social_account_id: str
    """ID of the connected account."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    account_name: str
    """Account's name on its network."""

    external_user_id: str | None
    """ID, in your system, of the user who owns the account. Null if you set none."""

    connection_type: str
    """How the account was connected.

    Known values:

    - `managed`: The user connected the account on the hosted page.
    - `byo`: You connected the account with credentials of your own.
    """

    reason: str
    """Why the account was disconnected.

    Known values:

    - `user`: You disconnected the account.
    - `token_expired`: The access token expired and could not be refreshed.
    - `revoked`: The user or the network revoked the access.
    - `app_deleted`: You deleted the app that connected the account.
    """


class AccountExpiringMessage(TypedDict):
    """An account's login ends soon and can't be refreshed."""

    event: Literal["account.expiring"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: ExpiringEventData


class ExpiringEventData(TypedDict):
    """Data of an event about an account whose login ends soon."""

    social_account_id: str
    """ID of the connected account."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    account_name: str
    """Account's name on its network."""

    external_user_id: str | None
    """ID, in your system, of the user who owns the account. Null if you set none."""

    connection_type: str
    """How the account was connected.

    Known values:

    - `managed`: The user connected the account on the hosted page.
    - `byo`: You connected the account with credentials of your own.
    """

    token_expires_at: str
    """Time when the login ends."""


class PostEditedMessage(TypedDict):
    """A published target was edited at its network."""

    event: Literal["post.edited"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: PostChangeEventData


class PostChangeEventData(TypedDict):
    """Data of an event about a change to a published target."""

    id: str
    """Unique ID."""

    caption: str
    """Text of the post."""

    status: str
    """Post status.

    Known values:

    - `draft`: Not published until you publish or schedule it.
    - `scheduled`: Published at its scheduled time.
    - `pending`: Being published.
    - `published`: Every target was published.
    - `partial`: Some targets were published and some failed.
    - `failed`: Every target failed.
    - `canceled`: Canceled before any target was published.
    """

    created_at: str
    """Time of creation."""

    updated_at: str
    """Time of the last change of the post or of one of its results."""

    revision: int
    """Number that grows with each change of the post or of one of its results. Of two answers, the one with the higher number is newer."""

    scheduled_at: str | None
    """Time when the post is to be published. Null if none was set."""

    published_at: str | None
    """Time when the post was published. Null until then."""

    metadata: dict[str, str]
    """Your own key-value pairs. Events include them."""

    labels: list[str]
    """Your own labels, in the order in which you gave them. Events include them."""

    results: list[PostEventResult]
    """One result per target."""

    result_id: str
    """ID of the result that has changed."""


class PostUnpublishedMessage(TypedDict):
    """A published target was removed from its network."""

    event: Literal["post.unpublished"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: PostChangeEventData


class PostUpdatedMessage(TypedDict):
    """A network has finished its work on a published target."""

    event: Literal["post.updated"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: PostUpdateEventData


class PostUpdateEventData(TypedDict):
    """Data of an event about a published target that its network has changed."""

    id: str
    """Unique ID."""

    caption: str
    """Text of the post."""

    status: str
    """Post status.

    Known values:

    - `draft`: Not published until you publish or schedule it.
    - `scheduled`: Published at its scheduled time.
    - `pending`: Being published.
    - `published`: Every target was published.
    - `partial`: Some targets were published and some failed.
    - `failed`: Every target failed.
    - `canceled`: Canceled before any target was published.
    """

    created_at: str
    """Time of creation."""

    updated_at: str
    """Time of the last change of the post or of one of its results."""

    revision: int
    """Number that grows with each change of the post or of one of its results. Of two answers, the one with the higher number is newer."""

    scheduled_at: str | None
    """Time when the post is to be published. Null if none was set."""

    published_at: str | None
    """Time when the post was published. Null until then."""

    metadata: dict[str, str]
    """Your own key-value pairs. Events include them."""

    labels: list[str]
    """Your own labels, in the order in which you gave them. Events include them."""

    results: list[PostEventResult]
    """One result per target."""

    result_id: str
    """ID of the result that has changed."""

    changed: list[str]
    """Members of the result that the network has changed."""


class PlatformAppCreditsExhaustedMessage(TypedDict):
    """Your own app has no credits left at its network. Recorded at most once a day."""

    event: Literal["platform_app.credits_exhausted"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: PlatformAppEventData


class PlatformAppEventData(TypedDict):
    """Data of an event about your own app at a network."""

    platform: str
    """Network of the app.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    client_id: str
    """Client ID of the app, from the network's site."""


class PostScheduledMessage(TypedDict):
    """A post was queued for future publishing."""

    event: Literal["post.scheduled"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: PostEventData


class AccountRefreshedMessage(TypedDict):
    """A managed account's token was refreshed."""

    event: Literal["account.refreshed"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: ConnectedEventData


class AccountQuotaWarningMessage(TypedDict):
    """An account reached 80% of its monthly per-account limit."""

    event: Literal["account.quota_warning"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: QuotaEventData


class QuotaEventData(TypedDict):
    """Data of an event about an account's monthly limit."""

    social_account_id: str
    """ID of the connected account."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    account_name: str
    """Account's name on its network."""

    external_user_id: str | None
    """ID, in your system, of the user who owns the account. Null if you set none."""

    connection_type: str
    """How the account was connected.

    Known values:

    - `managed`: The user connected the account on the hosted page.
    - `byo`: You connected the account with credentials of your own.
    """

    month: str
    """Calendar month in UTC, as `YYYY-MM`."""

    published: int
    """Number of targets in the month: published, being published or scheduled. Targets that failed or were canceled before they were public do not count."""

    limit: int
    """Monthly limit of targets."""


class AccountQuotaExceededMessage(TypedDict):
    """An account exceeded its monthly per-account limit."""

    event: Literal["account.quota_exceeded"]
    """Event type."""

    timestamp: str
    """Time of recording."""

    data: QuotaEventData


class ErrorResponse(TypedDict):
    """The response to a request that failed."""

    error: ErrorObject
    request_id: str
    """ID of the request, for support and logs."""


class ErrorObject(TypedDict):
    """Why a request failed."""

    code: str
    """Stable code of the error.

    Known values: `malformed_json`, `malformed_csv`, `unauthorized`, `insufficient_scope`, `origin_not_allowed`, `quota_exceeded`, `upload_url_invalid`, `not_found`, `method_not_allowed`, `not_acceptable`, `upload_stalled`, `upload_timeout`, `conflict`, `upload_in_progress`, `account_in_use`, `reconnect_required`, `has_replies`, `not_supported_by_network`, `too_late`, `media_expired`, `queue_full`, `queue_paused`, `idempotency_conflict`, `cursor_expired`, `upload_url_expired`, `payload_too_large`, `unsupported_media_type`, `validation_error`, `rate_limited`, `slow_consumer`, `internal`, `unavailable`, `media_not_configured`, `media_storage_full`.
    """

    message: str
    """Description of the error."""

    hint: NotRequired[str]
    """How to fix the error. Absent if there is no advice."""

    is_retriable: bool
    """Whether the same request can succeed later."""

    issues: NotRequired[list[Issue]]
    """Issues with the fields of the request. Absent for other errors."""

    required_scope: NotRequired[str]
    """Scope that the API key lacks."""

    limit: NotRequired[float]
    """Limit that the request exceeds."""

    actual: NotRequired[float]
    """What the request has."""

    post_status: NotRequired[str]
    """Status of the post, which conflicts with the request."""

    post_id: NotRequired[str]
    """ID of the post that prevents the request."""

    media_status: NotRequired[str]
    """Status of the media."""

    replay_id: NotRequired[str]
    """ID of the replay that is running."""

    retry_after_s: NotRequired[int]
    """Seconds until the request can succeed, as in `Retry-After`."""

    received_bytes: NotRequired[int]
    """Number of bytes of the upload received so far."""

    position: NotRequired[int]
    """Position where the JSON breaks, from 0."""

    line: NotRequired[int]
    """Line where the JSON or the CSV breaks, from 1."""

    column: NotRequired[int]
    """Column where the JSON breaks, from 1."""

    cursor: NotRequired[str]
    """Cursor to resume the live stream from."""

    oldest_cursor: NotRequired[str]
    """Oldest cursor that a live stream can resume from."""

    docs_url: str
    """URL of the documentation of the error."""


class Issue(TypedDict):
    """An issue with one field of a request."""

    path: str
    """Path of the field."""

    code: str
    """Stable code of the issue."""

    message: str
    """Description of the issue."""

    actual: NotRequired[str | float | None]
    """Value or size that you sent. Null or absent if not relevant."""

    limit: NotRequired[str | float | None]
    """Value or size that is allowed. Null or absent if not relevant."""

    field: NotRequired[str]
    """The same path. Present only if the content of a post was refused."""

    platform_post_index: NotRequired[int | None]
    """Target's index in `platform_posts` or `account_ids`, from 0. Null if the issue is about several targets or the post as a whole. Present only if the content of a post was refused."""

    account_id: NotRequired[str | None]
    """ID of the target's account. Null and absent like `platform_post_index`."""

    platform: NotRequired[str | None]
    """Target's network. Null and absent like `platform_post_index`, and null if the account is unknown."""

    severity: NotRequired[str]
    """Severity of the issue: an error, never a warning. Present only if the content of a post was refused."""


class PostToUpdate(TypedDict):
    """A post and its changes. Omitted fields stay as they are."""

    id: str
    """ID of the post."""

    caption: NotRequired[str]
    """Text for every target."""

    account_ids: NotRequired[list[str] | None]
    """IDs of the connected accounts to publish to. Replaces all targets."""

    platform_posts: NotRequired[list[PlatformPost] | None]
    """Targets with content of their own. Replaces all targets."""

    media: NotRequired[list[PostMediaInput] | None]
    """Media for every target, in order. Replaces all of them."""

    media_ids: NotRequired[list[str] | None]
    """IDs of uploaded media. Short form of `media`."""

    media_urls: NotRequired[list[str] | None]
    """URLs of media. Short form of `media`."""

    auto_fit: NotRequired[bool]
    """Whether images that a network would refuse are resized or re-encoded for it."""

    metadata: NotRequired[dict[str, str] | None]
    """Your own key-value pairs. Replaces all of them."""

    labels: NotRequired[list[str] | None]
    """Your own labels. Replaces all of them."""

    scheduled_at: NotRequired[str | None]
    """Time to publish the post. Schedules a draft. Null removes the time and makes a scheduled post a draft."""

    schedule: NotRequired[PostScheduleInput | None]
    """Time to publish the post in a time zone, instead of `scheduled_at`. Null removes the time, too."""

    queue_id: NotRequired[str]
    """ID of the queue whose slot the post takes, instead of a time. Schedules a draft, unless `status` keeps it one. The targets must be among the queue's accounts."""

    queue_position: NotRequired[QueuePosition]
    """Slot of the queue to take. Default: `next`."""

    publish_by: NotRequired[str | None]
    """Deadline of the post. A target that could not be sent by then fails. Null removes it."""

    status: NotRequired[NewPostStatus]
    """Makes a scheduled post a draft. With `scheduled_at`, a draft keeps the time and stays a draft."""


class PlatformPost(TypedDict):
    """A target with content of its own."""

    account_id: str
    """ID of the connected account to publish to."""

    caption: NotRequired[str]
    """Text of the post on this target. Default: the post's `caption`."""

    media: NotRequired[list[PostMediaInput] | None]
    """Media on this target, in order. Default: the post's media. An empty list means no media."""

    media_ids: NotRequired[list[str] | None]
    """IDs of uploaded media. Short form of `media`."""

    media_urls: NotRequired[list[str] | None]
    """URLs of media. Short form of `media`."""

    thread_position: NotRequired[int]
    """Position in a thread. Targets of one account with positions form a thread: each is a reply to the one before. Positions start at 0 or 1 and have no gaps."""

    first_comment: NotRequired[str]
    """Text of a reply to the post, published once the post is public."""

    in_reply_to: NotRequired[str]
    """ID, on the network, of the post to reply to: its `external_id`."""

    platform: NotRequired[Platform]
    """Network that `platform_options` is meant for. The account must belong to it."""

    platform_options: NotRequired[dict[str, Any] | None]
    """Options of the account's network. `GET /v1/platforms/capabilities` has their JSON Schema. The account's defaults add those that are missing. An option that is null has no value, and no default either."""


class PostMediaInput(TypedDict):
    """An image, a video or a document of a post."""

    id: NotRequired[str | None]
    """ID of uploaded media. Use this or `url`."""

    url: NotRequired[str | None]
    """Absolute HTTP or HTTPS URL of the file. Fanfare fetches it once, when the post is accepted. Use this or `id`."""

    alt_text: NotRequired[str | None]
    """Description of the media for people who cannot see it."""

    thumbnail_id: NotRequired[str | None]
    """ID of an uploaded image to show before the video plays."""

    thumbnail_at_ms: NotRequired[int | None]
    """Position, in milliseconds, of the frame to show before the video plays. `thumbnail_id` takes precedence."""


class PostScheduleInput(TypedDict):
    """Time of a post in a time zone."""

    local: str
    """Time that a clock in the zone shows."""

    timezone: str
    """Time zone, as IANA names it."""


class TotalCount(TypedDict):
    """Number of posts that match the filters of a list."""

    value: int
    """Number of matching posts, at most 10000."""

    is_capped: bool
    """Whether there are more than 10000 matching posts."""


WebhookMessage: TypeAlias = "PostPublishedMessage | PostFailedMessage | PostPartialMessage | AccountConnectedMessage | AccountDisconnectedMessage | AccountExpiringMessage | PostEditedMessage | PostUnpublishedMessage | PostUpdatedMessage | PlatformAppCreditsExhaustedMessage | PostScheduledMessage | AccountRefreshedMessage | AccountQuotaWarningMessage | AccountQuotaExceededMessage"


class Post(TypedDict):
    """A post to one or more accounts."""

    id: str
    """Unique ID."""

    caption: str
    """Text of the post."""

    status: str
    """Post status.

    Known values:

    - `draft`: Not published until you publish or schedule it.
    - `scheduled`: Published at its scheduled time.
    - `pending`: Being published.
    - `published`: Every target was published.
    - `partial`: Some targets were published and some failed.
    - `failed`: Every target failed.
    - `canceled`: Canceled before any target was published.
    """

    created_at: str
    """Time of creation."""

    updated_at: str
    """Time of the last change of the post or of one of its results."""

    revision: int
    """Number that grows with each change of the post or of one of its results. Of two answers, the one with the higher number is newer."""

    scheduled_at: str | None
    """Time when the post is to be published. Null if none was set."""

    schedule: PostSchedule | None
    """The local time that you gave for `scheduled_at`, which follows changes of the zone until a day before. Null if you gave an offset or no time."""

    publish_by: str | None
    """Deadline of the post. Null if none was set. Then `publish_within_s` of the project applies."""

    queue_id: str | None
    """ID of the queue that gave the post its `scheduled_at`, or that you gave for a draft. Null if there is none. It stays when the queue is deleted."""

    published_at: str | None
    """Time when the post was published. Null until then."""

    media: list[PostMedia]
    """Media for every target, in order."""

    media_urls: list[str]
    """URLs of the media that you gave as URLs, in order."""

    auto_fit: bool
    """Whether images that a network would refuse are resized or re-encoded for it."""

    metadata: dict[str, str]
    """Your own key-value pairs. Events include them."""

    labels: list[str]
    """Your own labels, in the order in which you gave them. Events include them."""

    created_by: Actor
    results: list[PostResult]
    """One result per target, in the order in which you named them."""


class PostSchedule(TypedDict):
    """Time of a post in a time zone."""

    local: str
    """Time that a clock in the zone shows."""

    timezone: str
    """Time zone, as IANA names it."""

    adjusted: str
    """How the time of a clock became an instant.

    Known values:

    - `none`: Clocks show the time once on that day.
    - `gap`: Clocks skip the time on that day, so it moved forward by the skipped time.
    - `fold`: Clocks show the time twice on that day, and the first one counts.
    """


class PostMedia(TypedDict):
    """An image, a video or a document of a post."""

    id: str | None
    """ID of the media. Null for a URL of a draft, which is not fetched yet."""

    url: str | None
    """URL that you gave. Null if you uploaded the file."""

    alt_text: str | None
    """Description for people who cannot see the media. Null if there is none."""

    thumbnail_id: str | None
    """ID of the image to show before the video plays. Null if none was given."""

    thumbnail_at_ms: int | None
    """Position, in milliseconds, of the frame to show before the video plays. Null if none was given."""


class Actor(TypedDict):
    """Who created a post, or requested a change."""

    type: str
    """Type of the actor.

    Known values:

    - `key`: A request with an API key.
    - `user`: A user at a hosted page.
    - `system`: Fanfare itself.
    """

    id: str | None
    """ID of the API key, or your ID of the user. Null for Fanfare itself, and if you gave the user no ID."""

    name: str | None
    """Name that the API key had at the time of the change. Null for a user, and for Fanfare itself."""


class PostResult(TypedDict):
    """The result of a post at one target."""

    id: str
    """Unique ID."""

    social_account_id: str
    """ID of the connected account."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    account_name: str
    """Account's name on its network."""

    caption: str
    """Text of the post on this target."""

    media: list[PostMedia]
    """Media of the post on this target, in order."""

    media_urls: list[str]
    """URLs of the media that you gave as URLs, in order."""

    thread_position: int | None
    """Position in the thread of the account. Null if it is not part of a thread."""

    in_reply_to: str | None
    """ID, on the network, of the post that this one replies to. Null if there is none."""

    platform_options: dict[str, Any]
    """Options of the account's network, as you sent them, with the defaults of the account once the post has left draft. Empty if there are none."""

    defaulted: list[str]
    """Names of the options that are defaults of the account. Empty for a draft, which gets them when it is scheduled or published."""

    status: str
    """Target status.

    Known values:

    - `pending`: Waiting to be published.
    - `publishing`: Being published.
    - `published`: Published on the network. `visibility` says who can see the post.
    - `failed`: Failed. `error_code` gives the reason.
    - `canceled`: Canceled before it was sent.
    - `unpublished`: Was published, and has been removed from the network.
    """

    external_id: str | None
    """ID on the network. Null until published, and on a network that gives none."""

    url: str | None
    """URL on the network. Null until published, and on a network without such pages."""

    visibility: str | None
    """Who can see the post. One of `public`, `unlisted`, `followers`, `private` and `draft`. More values may follow. Null until published, and on a network that does not report it."""

    published_at: str | None
    """Time of publication. Null until published."""

    edited_at: str | None
    """Time of the last edit at the network. Null if there was none."""

    unpublished_at: str | None
    """Time when the post was found to be removed from the network. Null until then."""

    error_code: str | None
    """Stable code of the failure. Null if there was no failure."""

    error_message: str | None
    """Description of the failure. Null if there was no failure."""

    error_hint: str | None
    """How to fix the failure. Null if there was no failure."""

    error_docs_url: str | None
    """URL of the documentation of the error code. Null if there was no failure."""

    failure_stage: str | None
    """Phase of the failure. Null if there was no failure.

    Known values:

    - `validate`: The content was refused before anything was sent.
    - `prepare`: Steps before the post, which can be repeated safely.
    - `commit`: The one call that makes the post public.
    - `confirm`: Checks whether the network has finished processing the post.
    - `reconcile`: Checks whether the post is public after the response to the commit was lost.
    """

    platform_error_code: str | None
    """Network's own error code. Null if there is none."""

    provider_error: dict[str, Any] | None
    """Network's own response to the failed call, up to 4 KiB. `is_cut` marks a longer one. Null if there is none."""

    is_retriable: bool
    """Whether a retry can succeed without another change."""

    next_action: str
    """What you can do next.

    Known values:

    - `none`: Nothing.
    - `edit_content`: Change the content and create a new post.
    - `retry`: Retry the target.
    - `reconnect_account`: Have the user connect the account again.
    - `check_network`: Check on the network whether the post is public.
    - `wait`: Wait, then retry the target.
    - `contact_operator`: Contact the operator of this installation.
    - `finish_in_app`: Have the owner of the account publish the draft in the network's app.
    """

    attempts: int
    """Number of commits over all runs. The list of attempts also has the calls of other phases."""

    waiting_for: str | None
    """What the target waits for. Null if the target has ended, a call is in progress, or the post is not due yet.

    Known values:

    - `rate_limit`: The network or the operator limits how often the account can post.
    - `quota`: The account or its app has used up its quota at the network. The call is retried when the network says, or else every 15 minutes, for 48 hours.
    - `app_credits`: The app of the account has no credits left at the network. The owner of the app must buy more. The call is retried every 15 minutes, for 6 hours.
    - `network`: The network was unreachable or temporarily refused. The call is retried.
    - `preparation`: The network is processing the upload. The post follows.
    - `confirmation`: The network accepted the post and is still processing it.
    - `lost_answer`: The response to the commit was lost. Fanfare checks whether the post is public.
    - `pause`: The operator paused the network or the project.
    - `media`: Fanfare is fetching the media.
    - `answered_post`: The post that this one replies to is not public yet.
    """

    next_attempt_at: str | None
    """Time of the next call. Null if none is scheduled."""

    changes: list[ResultChange]
    """The last 20 edits and removals after publication, oldest first."""

    first_comment: FirstComment | None
    """First comment under the post. Null if there is none."""

    steps: list[ResultStep]
    """Steps after the publication, such as setting a thumbnail. A failed step leaves the target published."""


class ResultChange(TypedDict):
    """An edit or a removal of a published target."""

    id: str
    """Unique ID."""

    type: str
    """Type of the change.

    Known values:

    - `edit`: Edits the post at the network.
    - `unpublish`: Removes the post from the network.
    """

    status: str
    """Status of the change.

    Known values:

    - `pending`: In progress.
    - `succeeded`: The network has the change.
    - `failed`: The network does not have the change. `error_code` gives the reason.
    - `outcome_unknown`: The network may have the change. Its response was lost, and checks gave no clear answer.
    """

    error_code: str | None
    """Stable code of the failure. Null if there was no failure."""

    error_message: str | None
    """Description of the failure. Null if there was no failure."""

    next_action: str
    """What you can do next.

    Known values:

    - `none`: Nothing.
    - `edit_content`: Change the content and create a new post.
    - `retry`: Retry the target.
    - `reconnect_account`: Have the user connect the account again.
    - `check_network`: Check on the network whether the post is public.
    - `wait`: Wait, then retry the target.
    - `contact_operator`: Contact the operator of this installation.
    - `finish_in_app`: Have the owner of the account publish the draft in the network's app.
    """

    actor: Actor
    requested_at: str
    """Time of the request."""

    ended_at: str | None
    """Time when the change ended. Null until then."""


class FirstComment(TypedDict):
    """The first comment under the post of a target."""

    id: str
    """Unique ID. Use it to list the attempts. To retry the comment, use the ID of the result."""

    text: str
    """Text of the comment."""

    status: str
    """Target status.

    Known values:

    - `pending`: Waiting to be published.
    - `publishing`: Being published.
    - `published`: Published on the network. `visibility` says who can see the post.
    - `failed`: Failed. `error_code` gives the reason.
    - `canceled`: Canceled before it was sent.
    - `unpublished`: Was published, and has been removed from the network.
    """

    external_id: str | None
    """ID on the network. Null until published, and on a network that gives none."""

    url: str | None
    """URL on the network. Null until published, and on a network without such pages."""

    visibility: str | None
    """Who can see the post. One of `public`, `unlisted`, `followers`, `private` and `draft`. More values may follow. Null until published, and on a network that does not report it."""

    published_at: str | None
    """Time of publication. Null until published."""

    edited_at: str | None
    """Time of the last edit at the network. Null if there was none."""

    unpublished_at: str | None
    """Time when the post was found to be removed from the network. Null until then."""

    error_code: str | None
    """Stable code of the failure. Null if there was no failure."""

    error_message: str | None
    """Description of the failure. Null if there was no failure."""

    error_hint: str | None
    """How to fix the failure. Null if there was no failure."""

    error_docs_url: str | None
    """URL of the documentation of the error code. Null if there was no failure."""

    failure_stage: str | None
    """Phase of the failure. Null if there was no failure.

    Known values:

    - `validate`: The content was refused before anything was sent.
    - `prepare`: Steps before the post, which can be repeated safely.
    - `commit`: The one call that makes the post public.
    - `confirm`: Checks whether the network has finished processing the post.
    - `reconcile`: Checks whether the post is public after the response to the commit was lost.
    """

    platform_error_code: str | None
    """Network's own error code. Null if there is none."""

    provider_error: dict[str, Any] | None
    """Network's own response to the failed call, up to 4 KiB. `is_cut` marks a longer one. Null if there is none."""

    is_retriable: bool
    """Whether a retry can succeed without another change."""

    next_action: str
    """What you can do next.

    Known values:

    - `none`: Nothing.
    - `edit_content`: Change the content and create a new post.
    - `retry`: Retry the target.
    - `reconnect_account`: Have the user connect the account again.
    - `check_network`: Check on the network whether the post is public.
    - `wait`: Wait, then retry the target.
    - `contact_operator`: Contact the operator of this installation.
    - `finish_in_app`: Have the owner of the account publish the draft in the network's app.
    """

    attempts: int
    """Number of commits over all runs. The list of attempts also has the calls of other phases."""

    waiting_for: str | None
    """What the target waits for. Null if the target has ended, a call is in progress, or the post is not due yet.

    Known values:

    - `rate_limit`: The network or the operator limits how often the account can post.
    - `quota`: The account or its app has used up its quota at the network. The call is retried when the network says, or else every 15 minutes, for 48 hours.
    - `app_credits`: The app of the account has no credits left at the network. The owner of the app must buy more. The call is retried every 15 minutes, for 6 hours.
    - `network`: The network was unreachable or temporarily refused. The call is retried.
    - `preparation`: The network is processing the upload. The post follows.
    - `confirmation`: The network accepted the post and is still processing it.
    - `lost_answer`: The response to the commit was lost. Fanfare checks whether the post is public.
    - `pause`: The operator paused the network or the project.
    - `media`: Fanfare is fetching the media.
    - `answered_post`: The post that this one replies to is not public yet.
    """

    next_attempt_at: str | None
    """Time of the next call. Null if none is scheduled."""

    changes: list[ResultChange]
    """The last 20 edits and removals after publication, oldest first."""


class ResultStep(TypedDict):
    """A step after the publication of a target."""

    id: str
    """Unique ID. Use it to list the attempts. To retry the step, use the ID of the result."""

    name: str
    """Name of the step, such as `thumbnail`."""

    status: str
    """Target status.

    Known values:

    - `pending`: Waiting to be published.
    - `publishing`: Being published.
    - `published`: Published on the network. `visibility` says who can see the post.
    - `failed`: Failed. `error_code` gives the reason.
    - `canceled`: Canceled before it was sent.
    - `unpublished`: Was published, and has been removed from the network.
    """

    external_id: str | None
    """ID on the network. Null until published, and on a network that gives none."""

    url: str | None
    """URL on the network. Null until published, and on a network without such pages."""

    visibility: str | None
    """Who can see the post. One of `public`, `unlisted`, `followers`, `private` and `draft`. More values may follow. Null until published, and on a network that does not report it."""

    published_at: str | None
    """Time of publication. Null until published."""

    edited_at: str | None
    """Time of the last edit at the network. Null if there was none."""

    unpublished_at: str | None
    """Time when the post was found to be removed from the network. Null until then."""

    error_code: str | None
    """Stable code of the failure. Null if there was no failure."""

    error_message: str | None
    """Description of the failure. Null if there was no failure."""

    error_hint: str | None
    """How to fix the failure. Null if there was no failure."""

    error_docs_url: str | None
    """URL of the documentation of the error code. Null if there was no failure."""

    failure_stage: str | None
    """Phase of the failure. Null if there was no failure.

    Known values:

    - `validate`: The content was refused before anything was sent.
    - `prepare`: Steps before the post, which can be repeated safely.
    - `commit`: The one call that makes the post public.
    - `confirm`: Checks whether the network has finished processing the post.
    - `reconcile`: Checks whether the post is public after the response to the commit was lost.
    """

    platform_error_code: str | None
    """Network's own error code. Null if there is none."""

    provider_error: dict[str, Any] | None
    """Network's own response to the failed call, up to 4 KiB. `is_cut` marks a longer one. Null if there is none."""

    is_retriable: bool
    """Whether a retry can succeed without another change."""

    next_action: str
    """What you can do next.

    Known values:

    - `none`: Nothing.
    - `edit_content`: Change the content and create a new post.
    - `retry`: Retry the target.
    - `reconnect_account`: Have the user connect the account again.
    - `check_network`: Check on the network whether the post is public.
    - `wait`: Wait, then retry the target.
    - `contact_operator`: Contact the operator of this installation.
    - `finish_in_app`: Have the owner of the account publish the draft in the network's app.
    """

    attempts: int
    """Number of commits over all runs. The list of attempts also has the calls of other phases."""

    waiting_for: str | None
    """What the target waits for. Null if the target has ended, a call is in progress, or the post is not due yet.

    Known values:

    - `rate_limit`: The network or the operator limits how often the account can post.
    - `quota`: The account or its app has used up its quota at the network. The call is retried when the network says, or else every 15 minutes, for 48 hours.
    - `app_credits`: The app of the account has no credits left at the network. The owner of the app must buy more. The call is retried every 15 minutes, for 6 hours.
    - `network`: The network was unreachable or temporarily refused. The call is retried.
    - `preparation`: The network is processing the upload. The post follows.
    - `confirmation`: The network accepted the post and is still processing it.
    - `lost_answer`: The response to the commit was lost. Fanfare checks whether the post is public.
    - `pause`: The operator paused the network or the project.
    - `media`: Fanfare is fetching the media.
    - `answered_post`: The post that this one replies to is not public yet.
    """

    next_attempt_at: str | None
    """Time of the next call. Null if none is scheduled."""

    changes: list[ResultChange]
    """The last 20 edits and removals after publication, oldest first."""


class PostIssue(TypedDict):
    """An issue with one field of a post."""

    platform_post_index: int | None
    """Target's index in `platform_posts` or `account_ids`, from 0. Null if the issue is about the post as a whole."""

    account_id: str | None
    """ID of the target's account. Null if the issue is about the post as a whole."""

    platform: str | None
    """Target's network. Null if the issue is about the post as a whole, or if the account is unknown."""

    path: str
    """Path of the field."""

    field: str
    """The same path."""

    code: str
    """Stable code of the issue."""

    message: str
    """Description of the issue."""

    actual: str | float | None
    """Value or size that you sent. Null if not relevant."""

    limit: str | float | None
    """Value or size that is allowed. Null if not relevant."""

    severity: str
    """Severity of the issue.

    Known values:

    - `error`: A post with this issue is refused.
    - `warning`: A post with this issue is accepted.
    """


class CreatePost(TypedDict):
    """A post to create."""

    caption: NotRequired[str]
    """Text for every target. Override it per target in `platform_posts`. Default: empty."""

    account_ids: NotRequired[list[str] | None]
    """IDs of the connected accounts to publish to. Use this or `platform_posts`."""

    platform_posts: NotRequired[list[PlatformPost] | None]
    """Targets with content of their own. Use this or `account_ids`."""

    media: NotRequired[list[PostMediaInput] | None]
    """Media for every target, in order. Override them per target in `platform_posts`. Default: none."""

    media_ids: NotRequired[list[str] | None]
    """IDs of uploaded media. Short form of `media`."""

    media_urls: NotRequired[list[str] | None]
    """URLs of media. Short form of `media`."""

    auto_fit: NotRequired[bool]
    """Whether images that a network would refuse are resized or re-encoded for it. Default: true."""

    scheduled_at: NotRequired[str]
    """Time to publish the post, at most 366 days from now. The limits have the minimum, `schedule_ahead_min_seconds`. Default: now."""

    schedule: NotRequired[PostScheduleInput]
    """Time to publish the post in a time zone, instead of `scheduled_at`. A time that clocks skip or show twice gets the warning `time_adjusted`."""

    publish_by: NotRequired[str]
    """Deadline of the post. A target that could not be sent by then fails with `deadline_passed` and is never sent. Default: `publish_within_s` of the project after the post is due."""

    queue_id: NotRequired[str]
    """ID of the queue whose slot the post takes. Use this or `scheduled_at`. The targets must be among the queue's accounts. Without targets, the post goes to all of them. A draft takes no slot."""

    queue_position: NotRequired[QueuePosition]
    """Slot of the queue to take. Default: `next`."""

    status: NotRequired[NewPostStatus]
    """Keeps the post as a draft, and its time as a plan. By default, the post is published or scheduled."""

    metadata: NotRequired[dict[str, str] | None]
    """Your own key-value pairs, at most 20. Keys have up to 64 characters. Values are strings of up to 512. Events include them."""

    labels: NotRequired[list[str] | None]
    """Your own labels, at most 20 of up to 64 characters, such as the name of a campaign. A label that is named twice counts once. Events include them."""

    idempotency_key: NotRequired[str]
    """Makes a repeat safe: a request with the same key and body within 24 hours returns the first response."""


class PostValidation(TypedDict):
    """Result of validating a post."""

    valid: bool
    """Whether the post would be accepted."""

    errors: list[PostIssue]
    """Issues that prevent the post."""

    warnings: list[PostIssue]
    """Issues that do not prevent the post, but may surprise you."""


class CreatedPost(TypedDict):
    """One post of a bulk request: `post` and `warnings` if it was created, `error` if it was refused. A dry run has no `post`."""

    status: int
    """HTTP status that creating the post alone would return, such as 201, 202 or 422."""

    post: NotRequired[Post]
    warnings: NotRequired[list[PostIssue]]
    """Issues that did not prevent the post, but may surprise you. Absent if it was refused."""

    error: NotRequired[ErrorObject]


class CreatePosts(TypedDict):
    """Posts to create."""

    posts: list[dict[str, Any]]
    """Posts to create, 1 to 500. Each is accepted or refused on its own."""


class ChangedPost(TypedDict):
    """One post of a bulk request: `post` if it was changed, `error` if it was refused. A deleted post has neither."""

    status: int
    """HTTP status that a request for the post alone would return, such as 200, 204, 404 or 409."""

    post: NotRequired[Post]
    warnings: NotRequired[list[PostIssue]]
    """Issues that did not prevent the post, but may surprise you. Absent if it was refused."""

    error: NotRequired[ErrorObject]


class CancelPosts(TypedDict):
    """Posts to cancel."""

    ids: list[str]
    """IDs of the posts to cancel, 1 to 500, in this order."""


class DeletePosts(TypedDict):
    """Posts to delete."""

    ids: list[str]
    """IDs of the posts to delete, 1 to 500, in this order."""

    unpublish: NotRequired[bool]
    """Whether to remove the published targets from their networks before each record is deleted. Default: false."""


class UpdatePosts(TypedDict):
    """Posts to update."""

    posts: list[dict[str, Any]]
    """Posts to update, 1 to 500, in this order. Each is changed or refused on its own."""


class PostPageMeta(TypedDict):
    """Position of a page in the list of posts."""

    limit: int
    """Page size. The number of entries if the whole list is a single page."""

    has_more: bool
    """Whether there is another page."""

    next_cursor: str | None
    """Cursor of the next page. Pass it as `cursor`. Null on the last page."""

    total_count: NotRequired[TotalCount]
    """Number of matching posts. Only with `include=total_count`."""


class PostCount(TypedDict):
    """Number of posts of one day with one status."""

    date: str
    """Day in the time zone."""

    status: str
    """Post status.

    Known values:

    - `draft`: Not published until you publish or schedule it.
    - `scheduled`: Published at its scheduled time.
    - `pending`: Being published.
    - `published`: Every target was published.
    - `partial`: Some targets were published and some failed.
    - `failed`: Every target failed.
    - `canceled`: Canceled before any target was published.
    """

    count: int
    """Number of posts of that day with the status."""


class PageMeta(TypedDict):
    """Position of a page in its list."""

    limit: int
    """Page size. The number of entries if the whole list is a single page."""

    has_more: bool
    """Whether there is another page."""

    next_cursor: str | None
    """Cursor of the next page. Pass it as `cursor`. Null on the last page."""


class UpdatePost(TypedDict):
    """Changes to a post. Omitted fields stay as they are."""

    caption: NotRequired[str]
    """Text for every target."""

    account_ids: NotRequired[list[str] | None]
    """IDs of the connected accounts to publish to. Replaces all targets."""

    platform_posts: NotRequired[list[PlatformPost] | None]
    """Targets with content of their own. Replaces all targets."""

    media: NotRequired[list[PostMediaInput] | None]
    """Media for every target, in order. Replaces all of them."""

    media_ids: NotRequired[list[str] | None]
    """IDs of uploaded media. Short form of `media`."""

    media_urls: NotRequired[list[str] | None]
    """URLs of media. Short form of `media`."""

    auto_fit: NotRequired[bool]
    """Whether images that a network would refuse are resized or re-encoded for it."""

    metadata: NotRequired[dict[str, str] | None]
    """Your own key-value pairs. Replaces all of them."""

    labels: NotRequired[list[str] | None]
    """Your own labels. Replaces all of them."""

    scheduled_at: NotRequired[str | None]
    """Time to publish the post. Schedules a draft. Null removes the time and makes a scheduled post a draft."""

    schedule: NotRequired[PostScheduleInput | None]
    """Time to publish the post in a time zone, instead of `scheduled_at`. Null removes the time, too."""

    queue_id: NotRequired[str]
    """ID of the queue whose slot the post takes, instead of a time. Schedules a draft, unless `status` keeps it one. The targets must be among the queue's accounts."""

    queue_position: NotRequired[QueuePosition]
    """Slot of the queue to take. Default: `next`."""

    publish_by: NotRequired[str | None]
    """Deadline of the post. A target that could not be sent by then fails. Null removes it."""

    status: NotRequired[NewPostStatus]
    """Makes a scheduled post a draft. With `scheduled_at`, a draft keeps the time and stays a draft."""


class UpdateResult(TypedDict):
    """Changes to a published target. `after_publishing` in the capabilities lists the fields that its network can edit."""

    caption: NotRequired[str]
    """New text of the post."""

    platform: NotRequired[Platform]
    """Network that `platform_options` is meant for. The account must belong to it."""

    platform_options: NotRequired[dict[str, Any] | None]
    """Options to change. Options that you omit don't change. Null removes an option."""

    media: NotRequired[list[EditedMedia] | None]
    """Media with new descriptions. Media that you omit don't change."""


class EditedMedia(TypedDict):
    """New description of an image or a video of a post."""

    id: str
    """ID of one of the target's media."""

    alt_text: NotRequired[str | None]
    """Description of the media for people who cannot see it. Default: none."""


class PostAttempt(TypedDict):
    """One call to the network for a target or a comment."""

    number: int
    """Number of the call, ascending over all runs, with a gap at each retry."""

    run: int
    """Number of the run of the post. Each retry is a new run."""

    phase: str
    """Phase of the target.

    Known values:

    - `prepare`: Steps before the post, which can be repeated safely.
    - `commit`: The one call that makes the post public.
    - `confirm`: Checks whether the network has finished processing the post.
    - `reconcile`: Checks whether the post is public after the response to the commit was lost.
    """

    started_at: str
    """Time when the call started."""

    duration_ms: int | None
    """Duration of the call, in milliseconds. Null while it is in progress."""

    outcome: str
    """Outcome of the call.

    Known values:

    - `begun`: In progress, or the process that made the call was lost.
    - `more`: One step of the preparation is done, and another one follows.
    - `prepared`: The network is ready to publish.
    - `stale`: The network no longer had the prepared post, and published nothing. Fanfare prepares the target again, or ends the target.
    - `accepted`: The network accepted the post and is still processing it.
    - `published`: The network has the post. `visibility` says who can see it.
    - `absent`: A check found that the network does not have the post.
    - `unknown`: A check could not tell whether the network has the post.
    - `rejected`: The network refused the post permanently.
    - `reauthorize`: The network refused the account's access.
    - `rate_limited`: The network limited the rate.
    - `unavailable`: The network was unreachable or temporarily refused. The post was not accepted.
    - `stalled`: Fanfare stalled before the call and sent nothing. It tries again after a second, and the retry schedule stays as it is.
    - `unknown_outcome`: The response was lost. The network may have accepted the post.
    """

    error_code: str | None
    """Network's own error code. Null if there is none."""

    error_message: str | None
    """Network's own error message. Null if there is none."""

    provider_error: dict[str, Any] | None
    """Network's own response to the failed call, up to 4 KiB. `is_cut` marks a longer one. Null if there is none."""

    provider_detail: dict[str, Any] | None
    """Details that the network reports about a published post. On Nostr: the answer of each relay. Null if there are none."""


class Label(TypedDict):
    """A label, with the number of its posts."""

    name: str
    """The label."""

    post_count: int
    """Number of posts that have the label."""


class Queue(TypedDict):
    """A plan of weekly slots that posts take in turn."""

    id: str
    """Unique ID."""

    environment: str
    """`test` if the queue has had only sandbox accounts. Test keys see only such queues.

    Known values:

    - `production`: All accounts.
    - `test`: Sandbox accounts only.
    """

    name: str
    """Name for display."""

    timezone: str
    """Time zone, as IANA names it."""

    account_ids: list[str]
    """IDs of the accounts that its posts publish to."""

    slots: list[WeeklySlot]
    """Weekly slots, from Monday on."""

    is_paused: bool
    """Whether new posts are refused. Posts that have a slot keep it."""

    created_at: str
    """Time of creation."""

    updated_at: str
    """Time of the last change of the queue."""


class WeeklySlot(TypedDict):
    """A slot that comes every week."""

    weekday: str
    """Day of the week.

    Known values:

    - `mon`: Monday.
    - `tue`: Tuesday.
    - `wed`: Wednesday.
    - `thu`: Thursday.
    - `fri`: Friday.
    - `sat`: Saturday.
    - `sun`: Sunday.
    """

    time: str
    """Wall-clock time in the time zone of the queue."""


class QueueIssue(TypedDict):
    """A warning about a queue that was created or updated."""

    path: str
    """Path of the field."""

    code: str
    """Stable code of the issue."""

    message: str
    """Description of the issue."""

    queue_id: str
    """ID of the other queue."""


class CreateQueue(TypedDict):
    """A queue to create."""

    name: str
    """Name for display."""

    timezone: str
    """Time zone, as IANA names it."""

    account_ids: list[str]
    """IDs of the connected accounts that its posts publish to."""

    slots: list[WeeklySlotInput]
    """Weekly slots, at most 336."""

    is_paused: NotRequired[bool]
    """Whether to refuse new posts. Default: false."""


class WeeklySlotInput(TypedDict):
    """A slot that comes every week."""

    weekday: Weekday
    """Day of the week."""

    time: str
    """Wall-clock time in the time zone of the queue."""


class UpdateQueue(TypedDict):
    """Changes to a queue. Omitted fields stay as they are."""

    name: NotRequired[str]
    """Name for display."""

    timezone: NotRequired[str]
    """Time zone, as IANA names it."""

    account_ids: NotRequired[list[str] | None]
    """IDs of the connected accounts. Replaces all of them, for new posts."""

    slots: NotRequired[list[WeeklySlotInput] | None]
    """Weekly slots. Replaces all of them, for new posts."""

    is_paused: NotRequired[bool]
    """Whether to refuse new posts. Posts that have a slot keep it."""


class QueueSlot(TypedDict):
    """A slot of a queue at a time."""

    at: str
    """Time of the slot."""

    local: str
    """The same time on a clock in the time zone of the queue."""

    post_id: str | None
    """ID of the post that has the slot. Null if the slot is free."""


class RescheduledQueue(TypedDict):
    """Result of rescheduling the posts of a queue."""

    moved_posts: int
    """Number of posts that got another time."""


class ReviewLink(TypedDict):
    """A link to a hosted page on which a creator reviews a post and publishes it."""

    url: str
    """URL of the hosted page. Anyone with the URL can publish the post, so give it only to the creator. Shown only once."""

    post_id: str
    """ID of the post."""

    social_account_id: str
    """ID of the TikTok account of the post."""

    can: str
    """What a reviewer can do.

    Known values:

    - `publish`: Choose who sees the post at TikTok, and publish it.
    """

    expires_at: str
    """Time when the link expires."""


class CreateReviewLink(TypedDict):
    """A link to create."""

    can: ReviewAction
    """What the user who opens the link can do."""


class UploadableMedia(TypedDict):
    """Media that wait for their bytes."""

    id: str
    """Unique ID."""

    status: str
    """Media status.

    Known values:

    - `pending`: Waiting for the bytes: for your upload, or until Fanfare has fetched the URL.
    - `uploaded`: Received, checked and usable.
    - `attached`: Used by a post, now or earlier.
    - `failed`: Not usable. `error_code` gives the reason.
    - `deleted`: Deleted by you, or because no recent post uses the media.
    """

    filename: str | None
    """Name of the file. Null if none was given."""

    url: str | None
    """URL that Fanfare fetches the bytes from. Null if you upload them."""

    upload_url: str
    """URL to `PUT` the bytes to. Only this response shows it."""

    expires_at: str
    """Time when the upload URL expires."""

    received_bytes: int
    """Number of bytes received so far. An upload resumes from here."""

    kind: str | None
    """Kind, as read from the bytes. Null until they are complete."""

    content_type: str | None
    """Media type, as read from the bytes. Until they are complete, the one that you declared. Null if unknown."""

    size_bytes: int | None
    """Size in bytes. Until the bytes are complete, the one that you declared. Null if unknown."""

    width: int | None
    """Width in pixels. Null for a document, and if unknown."""

    height: int | None
    """Height in pixels. Null for a document, and if unknown."""

    duration_ms: int | None
    """Duration of a video, in milliseconds. Null for other media, and if unknown."""

    error_code: str | None
    """Stable code of the failure: `media_unreachable`, `media_invalid`, `media_too_large` or `media_hash_mismatch`. Null if there was none."""

    error_message: str | None
    """Description of the failure. While the media are `pending`: why the last fetch of `url` failed, which Fanfare repeats. Null if there was none."""

    created_at: str
    """Time of creation."""


class CreateMedia(TypedDict):
    """A file to upload."""

    filename: str
    """Name of the file."""

    content_type: str
    """Media type of the bytes. Bytes of another kind are refused."""

    size_bytes: NotRequired[int]
    """Size in bytes. An upload of another size is refused."""

    content_hash: NotRequired[str]
    """SHA-256 of the bytes in hex. Other bytes are refused."""


class Media(TypedDict):
    """An image, a video or a document for posts."""

    id: str
    """Unique ID."""

    status: str
    """Media status.

    Known values:

    - `pending`: Waiting for the bytes: for your upload, or until Fanfare has fetched the URL.
    - `uploaded`: Received, checked and usable.
    - `attached`: Used by a post, now or earlier.
    - `failed`: Not usable. `error_code` gives the reason.
    - `deleted`: Deleted by you, or because no recent post uses the media.
    """

    filename: str | None
    """Name of the file. Null if none was given."""

    url: str | None
    """URL that Fanfare fetches the bytes from. Null if you upload them."""

    upload_url: str | None
    """URL to `PUT` the bytes to. Only the responses that create the media or renew the URL show it. Null otherwise."""

    expires_at: str | None
    """Time when the upload URL expires. Null if no upload is expected."""

    received_bytes: int
    """Number of bytes received so far. An upload resumes from here."""

    kind: str | None
    """Kind, as read from the bytes. Null until they are complete."""

    content_type: str | None
    """Media type, as read from the bytes. Until they are complete, the one that you declared. Null if unknown."""

    size_bytes: int | None
    """Size in bytes. Until the bytes are complete, the one that you declared. Null if unknown."""

    width: int | None
    """Width in pixels. Null for a document, and if unknown."""

    height: int | None
    """Height in pixels. Null for a document, and if unknown."""

    duration_ms: int | None
    """Duration of a video, in milliseconds. Null for other media, and if unknown."""

    error_code: str | None
    """Stable code of the failure: `media_unreachable`, `media_invalid`, `media_too_large` or `media_hash_mismatch`. Null if there was none."""

    error_message: str | None
    """Description of the failure. While the media are `pending`: why the last fetch of `url` failed, which Fanfare repeats. Null if there was none."""

    created_at: str
    """Time of creation."""


class Account(TypedDict):
    """A connected social account."""

    id: str
    """Unique ID."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    account_name: str
    """Account's name on its network."""

    display_name: str | None
    """Your own name for the account. Null if you set none."""

    external_account_id: str
    """Account's ID on its network."""

    external_user_id: str | None
    """ID, in your system, of the user who owns the account. Null if you set none."""

    external_user_email: str | None
    """Email address of the user who owns the account. Null if you set none."""

    connection_type: str
    """How the account was connected.

    Known values:

    - `managed`: The user connected the account on the hosted page.
    - `byo`: You connected the account with credentials of your own.
    """

    status: str
    """Account status.

    Known values:

    - `active`: Accepts posts.
    - `reconnect_required`: The network no longer grants access. The user must connect the account again.
    - `disconnected`: The account was disconnected and its credentials were deleted.
    """

    scope: list[str]
    """Permissions that the network granted. Empty if they are unknown."""

    connected_at: str
    """Time when the account was last connected."""

    token_expires_at: str | None
    """Time when the access token expires. Null if the network sets no expiry."""

    defaults: AccountDefaults


class AccountDefaults(TypedDict):
    """What posts to the account get by default."""

    platform_options: dict[str, Any]
    """Options of the account's network, for posts that don't have them. Empty if you set none."""


class ConnectAccount(TypedDict):
    """An account to connect with credentials."""

    platform: Platform
    """Network of the account."""

    credentials: dict[str, str]
    """Credentials that the network asks for. Their JSON Schema is in `connect.credentials` of the network's capabilities."""

    external_user_id: NotRequired[str]
    """ID, in your system, of the user who owns the account."""

    external_user_email: NotRequired[str]
    """Email address of the user who owns the account."""


class ImportAccount(TypedDict):
    """An account to connect with tokens of your own."""

    platform: Platform
    """Network of the account."""

    access_token: str
    """Access token that your own app obtained."""

    refresh_token: NotRequired[str]
    """Refresh token that came with the access token. It works only with the app that obtained it, so set that app at the network first."""

    expires_at: NotRequired[str]
    """Time when the access token expires. Default: it does not expire."""

    scope: NotRequired[list[str] | None]
    """Permissions of the token. Default: as the network reports them, otherwise unknown."""

    instance: NotRequired[str]
    """Address of the account's server. Required at Mastodon. Other networks take none."""

    external_account_id: NotRequired[str]
    """Account's ID on its network. Required if the token reaches several accounts."""

    external_user_id: NotRequired[str]
    """ID, in your system, of the user who owns the account."""

    external_user_email: NotRequired[str]
    """Email address of the user who owns the account."""


class UpdateAccount(TypedDict):
    """Changes to an account. Omitted fields stay as they are."""

    display_name: NotRequired[str | None]
    """Your own name for the account. Null removes it."""

    external_user_id: NotRequired[str | None]
    """ID, in your system, of the user who owns the account. A change removes the email address, which belongs to its user. Null means that the account has no user."""

    defaults: NotRequired[AccountDefaultsInput]


class AccountDefaultsInput(TypedDict):
    """What posts to the account get by default. A post gets each option that it doesn't have, when it leaves draft. Later changes of the defaults don't reach it."""

    platform: NotRequired[Platform]
    """Network that `platform_options` is meant for. The account must belong to it."""

    platform_options: dict[str, Any]
    """Options of the account's network. They replace all defaults. An option that is null has no default. At most 10,000 characters as JSON."""


class AccountHealth(TypedDict):
    """Whether an account can publish, now and soon."""

    social_account_id: str
    """ID of the connected account."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    account_name: str
    """Account's name on its network."""

    status: str
    """Health of an account.

    Known values:

    - `ok`: The account needs nothing.
    - `warning`: The account still publishes, but will stop unless someone acts.
    - `error`: The account can't publish.
    """

    issues: list[AccountIssue]
    """Issues of the account. Empty if `ok`."""

    token_expires_at: str | None
    """Time when the access token expires. Null if the network sets no expiry. Fanfare refreshes it before, if the network allows that."""

    last_successful_post_at: str | None
    """Time when the account's last post was published. Null if there is none."""


class AccountIssue(TypedDict):
    """An issue of an account."""

    code: str
    """What is wrong with an account.

    Known values:

    - `disconnected`: The account was disconnected.
    - `reconnect_required`: The network no longer grants access, or the app was deleted.
    - `token_expired`: The login has ended and can't be refreshed.
    - `token_expiring`: The login ends within 7 days and can't be refreshed.
    - `refresh_failing`: The network has not refreshed the login several times in a row.
    """

    message: str
    """What is wrong, and the next step."""


class AccountUsage(TypedDict):
    """An account's use of its monthly limit."""

    month: str
    """Calendar month in UTC, as `YYYY-MM`."""

    published: int
    """Number of targets in the month: published, being published or scheduled. Targets that failed or were canceled before they were public do not count."""

    limit: int | None
    """Monthly limit of targets. Null if there is no limit."""

    warning_at: int | None
    """Count that triggers the warning: 80% of the limit. Null if there is no limit."""

    warned_at: str | None
    """Time when the count triggered the warning. Null until then."""

    exceeded_at: str | None
    """Time when the count reached the limit. Null until then."""


class Capabilities(TypedDict):
    """What a network accepts. An account can have rules of its own, such as the text limit of its Mastodon server. `POST /v1/posts/validate` checks a post against the rules of its accounts."""

    platform: str
    """Network.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    text: TextRules
    media: MediaRules | None
    """Rules for media. Null if the network accepts no media."""

    replies: bool
    """Whether posts can be replies. `in_reply_to`, `first_comment` and threads need this."""

    threads: bool
    """Whether posts can form threads."""

    options: dict[str, Any]
    """JSON Schema of `platform_options`. An option with `x-choices` takes IDs of choices of that kind. An option with `x-no-default` can have no default."""

    choices: list[ChoiceKind]
    """Kinds of choices, which `GET /v1/accounts/:id/choices/:kind` lists for an account. Empty if there are none."""

    after_publishing: AfterPublishing
    connect: ConnectRules
    creator: Creator | None
    """Who would publish a post. Null unless an account was read with `refresh`, at a network that requires clients to show this."""

    source: str
    """Source of the rules."""


class TextRules(TypedDict):
    """Rules for the text of a post."""

    max: int
    """Maximum length, in `unit`."""

    max_bytes: int | None
    """Maximum length in bytes of UTF-8. Null if there is no such limit."""

    unit: str
    """Unit in which the network counts text.

    Known values:

    - `graphemes`: Characters as a reader sees them.
    - `characters`: Unicode code points.
    - `utf16`: UTF-16 code units. Most emoji count as two.
    - `emoji_bytes`: Unicode code points, but each emoji counts as its bytes in UTF-8.
    - `weighted`: Characters as X weights them. A link counts as 23. An emoji counts as two, and so do most scripts other than Latin, Greek and Cyrillic.
    """

    max_with_media: int | None
    """Maximum length in a post with media, in `unit`. Null if it is `max`."""

    max_with_images: int | None
    """Maximum length in a post whose media are all images, in `unit`. Null if it is that of a post with media."""

    is_required: bool
    """Whether a post without media needs text."""


class MediaRules(TypedDict):
    """Rules for the media of a post."""

    max: int
    """Maximum number of images, videos and documents together."""

    can_mix: bool
    """Whether one post can have both images and videos."""

    image: MediaFileRules | None
    """Rules for images. Null if the network accepts none."""

    video: MediaFileRules | None
    """Rules for videos. Null if the network accepts none."""

    document: MediaFileRules | None
    """Rules for documents. A document is the only media of its post. Null if the network accepts none."""

    max_alt_text: int | None
    """Maximum length of an alt text, in characters. Null if the network has no alt texts."""

    needs_url: bool
    """Whether the network links to media instead of storing them, so that media must be given as `url`."""


class MediaFileRules(TypedDict):
    """Rules for the images, the videos or the documents of a post."""

    max: int
    """Maximum number in one post."""

    types: list[str]
    """Media types, the preferred one first. With `auto_fit`, images of other types are re-encoded as the first one."""

    max_bytes: int | None
    """Maximum size, in bytes. Null: no limit is known."""

    max_gif_bytes: int | None
    """Maximum size of a GIF, in bytes. Null if it is `max_bytes`."""

    min_width: int | None
    """Minimum width, in pixels. Null: no limit is known."""

    min_height: int | None
    """Minimum height, in pixels. Null: no limit is known."""

    max_width: int | None
    """Maximum width, in pixels. Null: no limit is known."""

    max_height: int | None
    """Maximum height, in pixels. Null: no limit is known."""

    max_pixels: int | None
    """Maximum of width times height. Null: no limit is known."""

    min_ratio: float | None
    """Minimum of width divided by height. Null: no limit is known."""

    max_ratio: float | None
    """Maximum of width divided by height. Null: no limit is known."""

    min_duration_ms: int | None
    """Minimum duration, in milliseconds. Null: no limit is known."""

    max_duration_ms: int | None
    """Maximum duration, in milliseconds. Null: no limit is known."""


class ChoiceKind(TypedDict):
    """A kind of choices that an account has."""

    kind: str
    """Name of the kind."""

    description: str
    """What the choices are."""


class AfterPublishing(TypedDict):
    """What Fanfare can do with a published post. For an account, only what its login allows."""

    unpublish: UnpublishRules
    edit: EditRules
    by_hand: str | None
    """Where to do by hand what Fanfare cannot do. Null if nothing is known."""


UnpublishRules = TypedDict(
    "UnpublishRules",
    {
        "supported": "bool",
        "within_s": "int | None",
        "scopes": "list[str]",
        "except": "list[str]",
    },
)


EditRules = TypedDict(
    "EditRules",
    {
        "fields": "list[str]",
        "within_s": "int | None",
        "scopes": "list[str]",
        "except": "list[str]",
    },
)


class ConnectRules(TypedDict):
    """How accounts of a network are connected."""

    credentials: dict[str, Any] | None
    """JSON Schema of the credentials. Null if accounts cannot be connected with credentials."""

    consent: bool
    """Whether a connect session can open the network's consent page. Otherwise the hosted page asks for credentials."""


class Creator(TypedDict):
    """Who would publish a post, as the network says it now."""

    name: str | None
    """Name for display. Null if the network does not say it."""

    username: str | None
    """Username, without `@`. Null if the network does not say it."""

    avatar_url: str | None
    """URL of the picture, which may expire soon. Null if there is none."""

    can_post: bool
    """Whether the network lets them publish now."""

    reason: str | None
    """Why they cannot publish now. Null if they can."""


class Choice(TypedDict):
    """A value that the network offers for an option."""

    id: str
    """Value of the option. Unique among the choices of its kind and account."""

    name: str
    """Name for display."""

    description: str | None
    """More about the choice, for display. Null if the network says nothing."""

    url: str | None
    """URL of its page on the network. Null if there is none."""

    image_url: str | None
    """URL of its picture on the network. Null if there is none."""

    parent_id: str | None
    """`id` of the choice above it. Null if there is none."""

    disabled_reason: str | None
    """Why the account cannot choose it. Null if it can."""


class AccountCheck(TypedDict):
    """A check of whether an account can publish."""

    id: str
    """Unique ID."""

    social_account_id: str
    """ID of the connected account."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    status: str
    """Status of the check.

    Known values:

    - `running`: Some steps have not ended.
    - `passed`: No step failed.
    - `failed`: A step failed.
    """

    publishes: bool
    """Whether the check publishes a post."""

    steps: list[AccountCheckStep]
    """Steps of the check, in their order."""

    created_at: str
    """Time of creation."""

    ended_at: str | None
    """Time when the last step ended. Null until then."""


class AccountCheckStep(TypedDict):
    """A step of a check."""

    name: str
    """Name of the step.

    Known values:

    - `login`: The network accepts the login, and the login reaches the account.
    - `scopes`: The login and the account may do what posts need.
    - `app`: The network has not refused the app in the other steps.
    - `quota`: The account may publish more for now.
    - `media_address`: An image can be fetched at the public address of this installation.
    - `preparation`: The network prepares a post. Nothing is published.
    - `publication`: The network publishes a post.
    - `read_back`: The network shows the post.
    - `removal`: The network deletes the post.
    """

    status: str
    """Status of the step.

    Known values:

    - `pending`: Has not ended.
    - `passed`: Found nothing wrong.
    - `failed`: Failed. `code` gives the reason.
    - `skipped`: Does not apply, or another step failed.
    """

    code: str | None
    """Stable code of the failure, one of those of failed targets. Null if the step did not fail."""

    message: str | None
    """What the step found. Null if there is nothing to say."""

    next_action: str
    """What you can do next.

    Known values:

    - `none`: Nothing.
    - `retry`: Check the account again.
    - `wait`: Wait, then check the account again.
    - `reconnect_account`: Have the user connect the account again.
    - `contact_operator`: Contact the operator of this installation.
    - `check_network`: Check on the network whether the post is public.
    """

    docs_url: str | None
    """URL of the documentation of the code. Null if the step did not fail."""


class CreateAccountCheck(TypedDict):
    """What to check."""

    publish: NotRequired[bool | Literal["public"]]
    """Whether to publish a post too, read it back and remove it. Where Fanfare can't remove the post, it stays, so only `public` is accepted. Default: nothing is published."""


class User(TypedDict):
    """A user of your product whom you named when an account was connected."""

    external_user_id: str
    """ID of the user in your system."""

    external_user_email: str | None
    """Email address that you gave last. Null if you gave none."""

    account_count: int
    """Number of the user's connected accounts. Disconnected accounts do not count, so it can be 0."""

    reconnect_count: int
    """Number of the connected accounts that the user must connect again."""

    platforms: list[UserPlatform]
    """The connected accounts by network."""

    newest_account_id: str
    """ID of the user's newest account. Lists of users are in its order."""


class UserPlatform(TypedDict):
    """A user's accounts at one network."""

    platform: str
    """Network.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    account_count: int
    """Number of the user's connected accounts there."""


class ConnectSession(TypedDict):
    """A hosted page on which a user connects an account."""

    id: str
    """Unique ID."""

    url: str | None
    """URL of the hosted page. Shown only once, when the session is created. Null afterwards."""

    platform: str
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    environment: str
    """Environment of the API key that created the session.

    Known values:

    - `production`: All accounts.
    - `test`: Sandbox accounts only.
    """

    external_user_id: str | None
    """ID, in your system, of the user who owns the account. Null if you set none."""

    social_account_id: str | None
    """ID of the account that the session reconnects. Null if it connects other accounts."""

    login: str | None
    """The only login that the page offers. Null if it offers all of the network."""

    return_url: str | None
    """Page that the user returns to at the end. Null if you set none."""

    status: str
    """Connect session status.

    Known values:

    - `pending`: The user has not finished.
    - `completed`: The user connected one or more accounts.
    - `expired`: The session expired before the user finished.
    - `canceled`: The user declined.
    """

    expires_at: str
    """Time when the hosted page expires."""

    completed_social_account_id: str | None
    """ID of the first account that the user connected. Null until then."""

    completed_social_account_ids: list[str]
    """IDs of the accounts that the user connected. Empty until then."""

    created_at: str
    """Time of creation."""


class CreateConnectSession(TypedDict):
    """A connect session to create: for a `platform` and a user, or for an account to reconnect."""

    platform: NotRequired[Platform]
    """Network of the account. Required unless you send `social_account_id`."""

    external_user_id: NotRequired[str]
    """ID, in your system, of the user who owns the account. Required unless you send `social_account_id`."""

    external_user_email: NotRequired[str]
    """Email address of the user who owns the account."""

    social_account_id: NotRequired[str]
    """ID of an account to reconnect. The session then connects this account only, and keeps its network and its user."""

    login: NotRequired[str]
    """Login that the page offers, at a network with several. Instagram has `instagram` and `facebook`. Default: the user chooses among those that have an app."""

    return_url: NotRequired[str]
    """Page that the user returns to at the end. With a production key, its origin must be one of the project's `return_origins`. A loopback address is also allowed while Fanfare's own URL is one. A test key can use any."""


class PlatformApp(TypedDict):
    """Your own app at a network. The client secret is never shown."""

    platform: str
    """Network of the app.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    client_id: str
    """Client ID of the app, from the network's site."""

    has_client_secret: bool
    """Whether a client secret is stored."""

    settings: dict[str, str]
    """Settings of the app. Facebook and Instagram: `config_id`, the ID of a configuration of Facebook Login for Business. Instagram: `login`, the login that the client ID and the secret are for, `instagram` or `facebook`."""

    callback_urls: AppCallbackUrls
    approval: str
    """Whether the network has approved the app, as far as the network's answers prove it. Setting the app again resets it to `unknown`.

    Known values:

    - `unknown`: No answer has shown yet whether the app is approved. Answers of Meta never show it.
    - `unaudited`: The network refused a login or a post because it has not approved the app.
    - `audited`: An answer of the network proved the approval.
    """

    created_at: str
    """Time of creation."""

    updated_at: str
    """Time of the last change."""


class AppCallbackUrls(TypedDict):
    """URLs to enter in the app's settings on the network's site."""

    redirect: str
    """Where users come back to after a login."""

    deauthorize: str | None
    """Where the network reports users who removed the app. Null if the network reports none."""

    data_deletion: str | None
    """Where the network reports users who want their data deleted. Null if the network reports none."""

    webhook: str | None
    """Where the network sends its events, such as users who removed the app. Null if the network has none."""


class SetPlatformApp(TypedDict):
    """Your own app at a network."""

    client_id: str
    """Client ID of the app, from the network's site."""

    client_secret: NotRequired[str]
    """Client secret of the app. Required at LinkedIn, Facebook, Threads and Instagram. Default: the app has none."""

    settings: NotRequired[dict[str, str] | None]
    """Settings of the app. Facebook and Instagram: `config_id`, the ID of a configuration of Facebook Login for Business. Instagram: `login`, the login that the client ID and the secret are for, `instagram` or `facebook`. Default: none."""


class WebhookWithSecret(TypedDict):
    """A webhook with its new signing secret."""

    id: str
    """Unique ID."""

    environment: str
    """Environment of the API key that created the webhook. A test webhook receives only events of sandbox accounts.

    Known values:

    - `production`: All accounts.
    - `test`: Sandbox accounts only.
    """

    name: str | None
    """Name for display. Null if it has none."""

    url: str
    """URL that events are sent to."""

    events: list[str]
    """Event types that the webhook receives."""

    status: str
    """Webhook status.

    Known values:

    - `active`: Events are sent.
    - `disabled`: Events are skipped.
    """

    active: bool
    """Whether events are sent."""

    disabled_reason: str | None
    """Why the webhook was disabled. Null if it is active.

    Known values:

    - `failures`: Too many events in a row failed.
    - `user`: You disabled the webhook.
    """

    disabled_at: str | None
    """Time when the webhook was disabled. Null if it is active."""

    failing_since: str | None
    """Time of the first failed attempt since the last success. Null if no attempt has failed since."""

    consecutive_failures: int
    """Number of events in a row whose every attempt failed, up to 100."""

    last_delivery_at: str | None
    """Time of the last delivered event, except test events and manual retries. Null if there is none."""

    secret_preview: str
    """First characters of the signing secret, to recognize it by."""

    created_at: str
    """Time of creation."""

    secret: str
    """Signing secret. Shown only once."""


class CreateWebhook(TypedDict):
    """A webhook to create."""

    url: str
    """Absolute HTTPS URL to send events to."""

    events: NotRequired[list[EventType] | None]
    """Event types to receive. Default: every live event type."""

    name: NotRequired[str]
    """Name for display. Default: none."""

    active: NotRequired[bool]
    """Whether to send events. Default: true."""


class Webhook(TypedDict):
    """A URL that receives events."""

    id: str
    """Unique ID."""

    environment: str
    """Environment of the API key that created the webhook. A test webhook receives only events of sandbox accounts.

    Known values:

    - `production`: All accounts.
    - `test`: Sandbox accounts only.
    """

    name: str | None
    """Name for display. Null if it has none."""

    url: str
    """URL that events are sent to."""

    events: list[str]
    """Event types that the webhook receives."""

    status: str
    """Webhook status.

    Known values:

    - `active`: Events are sent.
    - `disabled`: Events are skipped.
    """

    active: bool
    """Whether events are sent."""

    disabled_reason: str | None
    """Why the webhook was disabled. Null if it is active.

    Known values:

    - `failures`: Too many events in a row failed.
    - `user`: You disabled the webhook.
    """

    disabled_at: str | None
    """Time when the webhook was disabled. Null if it is active."""

    failing_since: str | None
    """Time of the first failed attempt since the last success. Null if no attempt has failed since."""

    consecutive_failures: int
    """Number of events in a row whose every attempt failed, up to 100."""

    last_delivery_at: str | None
    """Time of the last delivered event, except test events and manual retries. Null if there is none."""

    secret_preview: str
    """First characters of the signing secret, to recognize it by."""

    created_at: str
    """Time of creation."""


class UpdateWebhook(TypedDict):
    """Changes to a webhook. Omitted fields stay as they are."""

    url: NotRequired[str]
    """Absolute HTTPS URL to send events to."""

    events: NotRequired[list[EventType] | None]
    """Event types to receive."""

    name: NotRequired[str | None]
    """Name for display. Null removes it."""

    active: NotRequired[bool]
    """Whether to send events. `true` enables a disabled webhook and resets its failure count."""


class RotateWebhook(TypedDict):
    """How to replace a signing secret."""

    overlap_seconds: NotRequired[int]
    """Time in seconds during which `webhook-signature` also carries a signature of the previous secret. Default: 0."""


class Delivery(TypedDict):
    """One event on its way to one webhook."""

    id: str
    """Unique ID."""

    webhook_id: str
    """ID of the webhook."""

    event_id: str
    """ID of the event."""

    post_id: str | None
    """ID of the post that the event is about. Null if it is not about a post."""

    event: str
    """Event type.

    Known values:

    - `post.published`: All platforms published successfully.
    - `post.failed`: All platforms failed.
    - `post.partial`: Some platforms succeeded and some failed.
    - `account.connected`: A user connected a social account (connect flow or dashboard).
    - `account.disconnected`: An account was disconnected or its token permanently expired.
    - `account.expiring`: An account's login ends soon and can't be refreshed.
    - `post.edited`: A published target was edited at its network.
    - `post.unpublished`: A published target was removed from its network.
    - `post.updated`: A network has finished its work on a published target.
    - `platform_app.credits_exhausted`: Your own app has no credits left at its network. Recorded at most once a day.
    - `post.scheduled`: A post was queued for future publishing.
    - `account.refreshed`: A managed account's token was refreshed.
    - `account.quota_warning`: An account reached 80% of its monthly per-account limit.
    - `account.quota_exceeded`: An account exceeded its monthly per-account limit.
    """

    url: str
    """URL that the event is sent to."""

    status: str
    """Delivery status.

    Known values:

    - `pending`: The first attempt has not been made.
    - `retrying`: An attempt failed and another one is scheduled.
    - `delivered`: The receiver accepted the event.
    - `failed`: Every attempt failed.
    - `skipped`: The webhook was disabled.
    - `canceled`: The webhook was deleted.
    """

    trigger: str
    """Why the delivery was created.

    Known values:

    - `event`: The event was recorded.
    - `test`: You sent a test event.
    - `replay`: A replay found an event that the webhook never received.
    """

    attempt_count: int
    """Number of attempts made."""

    next_attempt_at: str | None
    """Time of the next attempt. Null if none is scheduled."""

    last_status_code: int | None
    """HTTP status of the last response. Null if there was no response."""

    last_error_code: str | None
    """Error code of the last attempt. Null if it succeeded or none was made."""

    created_at: str
    """Time when the first attempt was due."""

    delivered_at: str | None
    """Time when the receiver last accepted the event. A replay keeps it until the next success. Null if the event was never accepted."""

    workflow_id: str | None
    """ID of the Temporal workflow for later attempts. Temporal has it only if a delivery of the same batch needed it. Null until the delivery belongs to a batch."""


class TestWebhook(TypedDict):
    """A test event to send."""

    event: NotRequired[EventType]
    """Event type to send. Default: the first one that the webhook receives."""


class DeliveryCount(TypedDict):
    """Number of deliveries of one day with one status."""

    date: str
    """Day in the time zone."""

    status: str
    """Delivery status.

    Known values:

    - `pending`: The first attempt has not been made.
    - `retrying`: An attempt failed and another one is scheduled.
    - `delivered`: The receiver accepted the event.
    - `failed`: Every attempt failed.
    - `skipped`: The webhook was disabled.
    - `canceled`: The webhook was deleted.
    """

    count: int
    """Number of deliveries of that day with the status."""


class DeliveryWithAttempts(TypedDict):
    """A delivery with its attempts."""

    id: str
    """Unique ID."""

    webhook_id: str
    """ID of the webhook."""

    event_id: str
    """ID of the event."""

    post_id: str | None
    """ID of the post that the event is about. Null if it is not about a post."""

    event: str
    """Event type.

    Known values:

    - `post.published`: All platforms published successfully.
    - `post.failed`: All platforms failed.
    - `post.partial`: Some platforms succeeded and some failed.
    - `account.connected`: A user connected a social account (connect flow or dashboard).
    - `account.disconnected`: An account was disconnected or its token permanently expired.
    - `account.expiring`: An account's login ends soon and can't be refreshed.
    - `post.edited`: A published target was edited at its network.
    - `post.unpublished`: A published target was removed from its network.
    - `post.updated`: A network has finished its work on a published target.
    - `platform_app.credits_exhausted`: Your own app has no credits left at its network. Recorded at most once a day.
    - `post.scheduled`: A post was queued for future publishing.
    - `account.refreshed`: A managed account's token was refreshed.
    - `account.quota_warning`: An account reached 80% of its monthly per-account limit.
    - `account.quota_exceeded`: An account exceeded its monthly per-account limit.
    """

    url: str
    """URL that the event is sent to."""

    status: str
    """Delivery status.

    Known values:

    - `pending`: The first attempt has not been made.
    - `retrying`: An attempt failed and another one is scheduled.
    - `delivered`: The receiver accepted the event.
    - `failed`: Every attempt failed.
    - `skipped`: The webhook was disabled.
    - `canceled`: The webhook was deleted.
    """

    trigger: str
    """Why the delivery was created.

    Known values:

    - `event`: The event was recorded.
    - `test`: You sent a test event.
    - `replay`: A replay found an event that the webhook never received.
    """

    attempt_count: int
    """Number of attempts made."""

    next_attempt_at: str | None
    """Time of the next attempt. Null if none is scheduled."""

    last_status_code: int | None
    """HTTP status of the last response. Null if there was no response."""

    last_error_code: str | None
    """Error code of the last attempt. Null if it succeeded or none was made."""

    created_at: str
    """Time when the first attempt was due."""

    delivered_at: str | None
    """Time when the receiver last accepted the event. A replay keeps it until the next success. Null if the event was never accepted."""

    workflow_id: str | None
    """ID of the Temporal workflow for later attempts. Temporal has it only if a delivery of the same batch needed it. Null until the delivery belongs to a batch."""

    attempts: list[DeliveryAttempt]
    """Attempts, oldest first."""


class DeliveryAttempt(TypedDict):
    """One request to the receiver."""

    number: int
    """Number of the attempt. A replay continues the count."""

    trigger: str
    """Why the attempt was made.

    Known values:

    - `schedule`: The retry schedule required it.
    - `manual`: You retried the delivery.
    """

    started_at: str
    """Time when the attempt started."""

    timings: Timings
    remote_address: str | None
    """IP address that the request was sent to. Null if there was no connection."""

    status_code: int | None
    """HTTP status of the response. Null if there was no response."""

    error_code: str | None
    """Why the attempt failed: `dns_failed`, `connection_refused`, `connect_timeout`, `tls_failed`, `response_timeout`, `response_too_large`, `blocked_address`, `redirect`, `http_4xx`, `http_5xx`, `connection_reset`. Null if it succeeded."""

    request_headers: dict[str, str]
    """Headers of the request. Signatures are redacted."""

    response_headers: dict[str, str] | None
    """Headers of the response. Cookies and secrets are redacted. Null if there was no response."""

    response_body: str | None
    """First 4 KiB of the response body, as text. Null if there was no response."""

    next_attempt_at: str | None
    """Time of the attempt that this one scheduled. Null if it scheduled none."""


class Timings(TypedDict):
    """Duration of an attempt and of its parts."""

    dns_ms: float | None
    """DNS lookup, in milliseconds. Null if there was no lookup."""

    connect_ms: float | None
    """TCP connect, in milliseconds. Null if there was no new connection."""

    tls_ms: float | None
    """TLS handshake, in milliseconds. Null if there was no handshake."""

    first_byte_ms: float | None
    """Time from the request to the first byte of the response, in milliseconds. Null if there was no response."""

    total_ms: float
    """Whole attempt, in milliseconds."""


class RetriedDelivery(TypedDict):
    """A delivery for which an attempt was started."""

    id: str
    """Unique ID."""

    webhook_id: str
    """ID of the webhook."""

    event_id: str
    """ID of the event."""

    post_id: str | None
    """ID of the post that the event is about. Null if it is not about a post."""

    event: str
    """Event type.

    Known values:

    - `post.published`: All platforms published successfully.
    - `post.failed`: All platforms failed.
    - `post.partial`: Some platforms succeeded and some failed.
    - `account.connected`: A user connected a social account (connect flow or dashboard).
    - `account.disconnected`: An account was disconnected or its token permanently expired.
    - `account.expiring`: An account's login ends soon and can't be refreshed.
    - `post.edited`: A published target was edited at its network.
    - `post.unpublished`: A published target was removed from its network.
    - `post.updated`: A network has finished its work on a published target.
    - `platform_app.credits_exhausted`: Your own app has no credits left at its network. Recorded at most once a day.
    - `post.scheduled`: A post was queued for future publishing.
    - `account.refreshed`: A managed account's token was refreshed.
    - `account.quota_warning`: An account reached 80% of its monthly per-account limit.
    - `account.quota_exceeded`: An account exceeded its monthly per-account limit.
    """

    url: str
    """URL that the event is sent to."""

    status: str
    """Delivery status.

    Known values:

    - `pending`: The first attempt has not been made.
    - `retrying`: An attempt failed and another one is scheduled.
    - `delivered`: The receiver accepted the event.
    - `failed`: Every attempt failed.
    - `skipped`: The webhook was disabled.
    - `canceled`: The webhook was deleted.
    """

    trigger: str
    """Why the delivery was created.

    Known values:

    - `event`: The event was recorded.
    - `test`: You sent a test event.
    - `replay`: A replay found an event that the webhook never received.
    """

    attempt_count: int
    """Number of attempts made."""

    next_attempt_at: str | None
    """Time of the next attempt. Null if none is scheduled."""

    last_status_code: int | None
    """HTTP status of the last response. Null if there was no response."""

    last_error_code: str | None
    """Error code of the last attempt. Null if it succeeded or none was made."""

    created_at: str
    """Time when the first attempt was due."""

    delivered_at: str | None
    """Time when the receiver last accepted the event. A replay keeps it until the next success. Null if the event was never accepted."""

    workflow_id: str | None
    """ID of the Temporal workflow for later attempts. Temporal has it only if a delivery of the same batch needed it. Null until the delivery belongs to a batch."""

    notice: str | None
    """Notice about this attempt, such as that the receiver gets the event twice. Null if there is none."""


class AcceptedReplay(TypedDict):
    """A replay that was started."""

    replay_id: str
    """ID of the replay."""

    matched: int
    """Number of deliveries to send again. If counting takes more than 3 seconds, the number counted by then."""


ReplayDeliveries = TypedDict(
    "ReplayDeliveries",
    {
        "from": "NotRequired[str]",
        "to": "NotRequired[str]",
        "since": "NotRequired[str]",
        "until": "NotRequired[str]",
        "status": "NotRequired[list[ReplayedStatus] | None]",
    },
)


Replay = TypedDict(
    "Replay",
    {
        "id": "str",
        "webhook_id": "str",
        "status": "str",
        "from": "str",
        "to": "str",
        "since": "str",
        "until": "str",
        "status_filter": "list[str]",
        "matched": "int",
        "reopened": "int",
        "pending": "int",
        "delivered": "int",
        "failed": "int",
        "skipped": "int",
        "canceled": "int",
        "created_at": "str",
        "concluded_at": "str | None",
    },
)


class Event(TypedDict):
    """A recorded event."""

    id: str
    """Unique ID."""

    event: str
    """Event type.

    Known values:

    - `post.published`: All platforms published successfully.
    - `post.failed`: All platforms failed.
    - `post.partial`: Some platforms succeeded and some failed.
    - `account.connected`: A user connected a social account (connect flow or dashboard).
    - `account.disconnected`: An account was disconnected or its token permanently expired.
    - `account.expiring`: An account's login ends soon and can't be refreshed.
    - `post.edited`: A published target was edited at its network.
    - `post.unpublished`: A published target was removed from its network.
    - `post.updated`: A network has finished its work on a published target.
    - `platform_app.credits_exhausted`: Your own app has no credits left at its network. Recorded at most once a day.
    - `post.scheduled`: A post was queued for future publishing.
    - `account.refreshed`: A managed account's token was refreshed.
    - `account.quota_warning`: An account reached 80% of its monthly per-account limit.
    - `account.quota_exceeded`: An account exceeded its monthly per-account limit.
    """

    timestamp: str
    """Time of recording. Later events of a post or an account have later times."""

    data: EventData
    post_id: str | None
    """ID of the post that the event is about. Null if it is not about a post."""

    social_account_id: str | None
    """ID of the account that the event is about. Null if it is not about an account."""

    test: bool
    """Whether it is a test event."""


class EventData(TypedDict):
    """Data of an event. `event` decides which members it has: those of the webhook message with the same `event`."""

    platform: NotRequired[str]
    """Network of the account.

    Known values:

    - `sandbox`: Sandbox.
    - `bluesky`: Bluesky.
    - `mastodon`: Mastodon.
    - `twitter`: X.
    - `linkedin`: LinkedIn.
    - `facebook`: Facebook.
    - `threads`: Threads.
    - `instagram`: Instagram.
    - `pinterest`: Pinterest.
    - `youtube`: YouTube.
    - `tiktok`: TikTok.
    - `telegram`: Telegram.
    - `discord`: Discord.
    - `slack`: Slack.
    - `wordpress`: WordPress.
    - `nostr`: Nostr.
    """

    client_id: NotRequired[str]
    """Client ID of the app, from the network's site."""

    id: NotRequired[str]
    """Unique ID."""

    caption: NotRequired[str]
    """Text of the post."""

    status: NotRequired[str]
    """Post status.

    Known values:

    - `draft`: Not published until you publish or schedule it.
    - `scheduled`: Published at its scheduled time.
    - `pending`: Being published.
    - `published`: Every target was published.
    - `partial`: Some targets were published and some failed.
    - `failed`: Every target failed.
    - `canceled`: Canceled before any target was published.
    """

    created_at: NotRequired[str]
    """Time of creation."""

    updated_at: NotRequired[str]
    """Time of the last change of the post or of one of its results."""

    revision: NotRequired[int]
    """Number that grows with each change of the post or of one of its results. Of two answers, the one with the higher number is newer."""

    scheduled_at: NotRequired[str | None]
    """Time when the post is to be published. Null if none was set."""

    published_at: NotRequired[str | None]
    """Time when the post was published. Null until then."""

    metadata: NotRequired[dict[str, str]]
    """Your own key-value pairs. Events include them."""

    labels: NotRequired[list[str]]
    """Your own labels, in the order in which you gave them. Events include them."""

    results: NotRequired[list[PostEventResult]]
    """One result per target."""

    result_id: NotRequired[str]
    """ID of the result that has changed."""

    changed: NotRequired[list[str]]
    """Members of the result that the network has changed."""

    social_account_id: NotRequired[str]
    """ID of the connected account."""

    account_name: NotRequired[str]
    """Account's name on its network."""

    external_user_id: NotRequired[str | None]
    """ID, in your system, of the user who owns the account. Null if you set none."""

    connection_type: NotRequired[str]
    """How the account was connected.

    Known values:

    - `managed`: The user connected the account on the hosted page.
    - `byo`: You connected the account with credentials of your own.
    """

    month: NotRequired[str]
    """Calendar month in UTC, as `YYYY-MM`."""

    published: NotRequired[int]
    """Number of targets in the month: published, being published or scheduled. Targets that failed or were canceled before they were public do not count."""

    limit: NotRequired[int]
    """Monthly limit of targets."""

    reason: NotRequired[str]
    """Why the account was disconnected.

    Known values:

    - `user`: You disconnected the account.
    - `token_expired`: The access token expired and could not be refreshed.
    - `revoked`: The user or the network revoked the access.
    - `app_deleted`: You deleted the app that connected the account.
    """

    token_expires_at: NotRequired[str]
    """Time when the login ends."""


class EventTypeInfo(TypedDict):
    """An event type and the JSON Schema of its body."""

    event: str
    """Event type.

    Known values:

    - `post.published`: All platforms published successfully.
    - `post.failed`: All platforms failed.
    - `post.partial`: Some platforms succeeded and some failed.
    - `account.connected`: A user connected a social account (connect flow or dashboard).
    - `account.disconnected`: An account was disconnected or its token permanently expired.
    - `account.expiring`: An account's login ends soon and can't be refreshed.
    - `post.edited`: A published target was edited at its network.
    - `post.unpublished`: A published target was removed from its network.
    - `post.updated`: A network has finished its work on a published target.
    - `platform_app.credits_exhausted`: Your own app has no credits left at its network. Recorded at most once a day.
    - `post.scheduled`: A post was queued for future publishing.
    - `account.refreshed`: A managed account's token was refreshed.
    - `account.quota_warning`: An account reached 80% of its monthly per-account limit.
    - `account.quota_exceeded`: An account exceeded its monthly per-account limit.
    """

    meaning: str
    """When the event is recorded."""

    availability: str
    """Whether the event type is sent.

    Known values:

    - `live`: Sent by every installation. A new webhook receives it by default.
    - `opt_in`: Sent by every installation, but only to webhooks that name it in `events`.
    - `coming_soon`: Sent only by installations that preview it.
    """

    is_sent: bool
    """Whether this installation sends the event type. `FANFARE_PREVIEW_EVENTS=true` sends all of them."""

    json_schema: dict[str, Any]
    """JSON Schema of the request body that webhooks receive."""


class ApiKeyWithSecret(TypedDict):
    """A new API key, with the key itself."""

    id: str
    """Unique ID."""

    name: str
    """Name for display."""

    prefix: str
    """First characters of the key, to recognize it by."""

    scopes: list[str]
    """Operations that the key allows."""

    environment: str
    """Accounts that the API key reaches.

    Known values:

    - `production`: All accounts.
    - `test`: Sandbox accounts only.
    """

    expires_at: str | None
    """Time when the key expires. Null if it never expires."""

    revoked_at: str | None
    """Time when the key was revoked. Null if it was not."""

    last_used_at: str | None
    """Time of the last use, to the minute. Null if the key was never used."""

    created_at: str
    """Time of creation."""

    key: str
    """The key itself. Shown only once."""


class CreateApiKey(TypedDict):
    """An API key to create."""

    name: str
    """Name for display."""

    scopes: NotRequired[list[Scope] | None]
    """Operations that the key allows. You can grant only scopes that your own key has. Default: all."""

    environment: NotRequired[KeyEnvironment]
    """Accounts that the key reaches. Default: production."""

    expires_at: NotRequired[str]
    """Time when the key expires. Default: never."""


class ApiKey(TypedDict):
    """An API key, without the key itself."""

    id: str
    """Unique ID."""

    name: str
    """Name for display."""

    prefix: str
    """First characters of the key, to recognize it by."""

    scopes: list[str]
    """Operations that the key allows."""

    environment: str
    """Accounts that the API key reaches.

    Known values:

    - `production`: All accounts.
    - `test`: Sandbox accounts only.
    """

    expires_at: str | None
    """Time when the key expires. Null if it never expires."""

    revoked_at: str | None
    """Time when the key was revoked. Null if it was not."""

    last_used_at: str | None
    """Time of the last use, to the minute. Null if the key was never used."""

    created_at: str
    """Time of creation."""


class CurrentApiKey(TypedDict):
    """The API key of a request, and its project."""

    id: str
    """Unique ID."""

    name: str
    """Name for display."""

    prefix: str
    """First characters of the key, to recognize it by."""

    scopes: list[str]
    """Operations that the key allows."""

    environment: str
    """Accounts that the API key reaches.

    Known values:

    - `production`: All accounts.
    - `test`: Sandbox accounts only.
    """

    expires_at: str | None
    """Time when the key expires. Null if it never expires."""

    revoked_at: str | None
    """Time when the key was revoked. Null if it was not."""

    last_used_at: str | None
    """Time of the last use, to the minute. Null if the key was never used."""

    created_at: str
    """Time of creation."""

    project: KeyProject


class KeyProject(TypedDict):
    """The project of an API key."""

    id: str
    """ID of the project."""

    name: str
    """Name of the project."""


class Project(TypedDict):
    """The project that the API key belongs to."""

    id: str
    """Unique ID."""

    name: str
    """Name for display."""

    brand_color: str | None
    """Color of the hosted pages, as `#rrggbb`. Null for the default color."""

    logo_media_id: str | None
    """ID of the image that the logo on the hosted pages is a copy of. The copy stays when the media are deleted. Null for no logo."""

    dark_logo_media_id: str | None
    """ID of the image that replaces the logo on dark pages, as a copy. Null for the same logo."""

    privacy_url: str | None
    """HTTPS URL of your privacy policy, which the hosted pages link to. Required before users can connect accounts of Facebook, Threads and Instagram. Null for none."""

    terms_url: str | None
    """HTTPS URL of your terms, which the hosted pages link to. Null for none."""

    support_url: str | None
    """HTTPS URL of the page where users reach you, which the hosted pages link to. Null for none."""

    return_origins: list[str]
    """Origins that the `return_url` of a connect session can have. Sessions of a production key need one."""

    monthly_posts_per_account: int | None
    """Maximum number of targets that each account publishes in a month. 0 means no limit. Null means the limit of the installation."""

    publish_within_s: int | None
    """Deadline of posts without `publish_by`: seconds after a post is due. A target that could not be sent by then fails with `deadline_passed`. Null means none."""

    created_at: str
    """Time of creation."""


class UpdateProject(TypedDict):
    """Changes to the project. Omitted fields stay as they are."""

    name: NotRequired[str]
    """Name for display."""

    brand_color: NotRequired[str | None]
    """Color of the hosted pages, as `#rrggbb`. Null for the default color."""

    logo_media_id: NotRequired[str | None]
    """ID of the image that the logo on the hosted pages is a copy of. The copy stays when the media are deleted. Null for no logo."""

    dark_logo_media_id: NotRequired[str | None]
    """ID of the image that replaces the logo on dark pages, as a copy. Null for the same logo."""

    privacy_url: NotRequired[str | None]
    """HTTPS URL of your privacy policy, which the hosted pages link to. Required before users can connect accounts of Facebook, Threads and Instagram. Null for none."""

    terms_url: NotRequired[str | None]
    """HTTPS URL of your terms, which the hosted pages link to. Null for none."""

    support_url: NotRequired[str | None]
    """HTTPS URL of the page where users reach you, which the hosted pages link to. Null for none."""

    return_origins: NotRequired[list[str] | None]
    """Origins that the `return_url` of a connect session can have. Sessions of a production key need one. Only the origin of each URL is stored."""

    monthly_posts_per_account: NotRequired[int | None]
    """Maximum number of targets that each account publishes in a month. 0 means no limit. Null means the limit of the installation."""

    publish_within_s: NotRequired[int | None]
    """Deadline of posts without `publish_by`: seconds after a post is due. A target that could not be sent by then fails with `deadline_passed`. Null means none."""


class Limits(TypedDict):
    """Limits of this installation."""

    requests_per_minute: int | None
    """Requests per minute of a project. A bulk request counts once for each post, and a GraphQL document once for each mutation and each `validatePost`. Null if there is no limit."""

    body_bytes: int
    """Maximum size of a request body, in bytes."""

    bulk_body_bytes: int
    """Maximum size of the body of a bulk request in REST, in bytes."""

    body_values: int
    """Maximum number of values in a request body, members and items included."""

    media_bytes: int
    """Maximum size of an image, a video or a document, in bytes."""

    media_bytes_per_project: int
    """Maximum size of all of a project's images, videos and documents, in bytes."""

    image_bytes: int
    """Maximum size of an image, in bytes."""

    image_pixels: ImagePixels
    animation_pixels: int
    """Maximum number of pixels of all frames of an animation."""

    targets_per_post: int
    """Maximum number of targets of a post."""

    posts_per_bulk: int
    """Maximum number of posts in one bulk request."""

    webhooks_per_project: int
    """Maximum number of webhooks of a project."""

    streams_per_project: int
    """Maximum number of open live streams of a project on one server."""

    schedule_ahead_min_seconds: int
    """Minimum time from now to `scheduled_at`, in seconds."""

    schedule_ahead_max_days: int
    """Maximum time from now to `scheduled_at`, in days."""

    caption_characters: int
    """Maximum length of a caption on any network, in characters."""

    labels_per_post: int
    """Maximum number of labels of a post."""

    label_characters: int
    """Maximum length of a label, in characters."""

    page_size: int
    """Maximum page size of a list."""

    idempotency_hours: int
    """Time that an idempotency key is kept, in hours."""

    webhook_timeout_ms: int
    """Time that a receiver has to respond, in milliseconds."""

    webhook_retry_delays_ms: list[int]
    """Delays before each retry of a delivery, in milliseconds."""

    posts_per_account_and_month: int | None
    """Maximum number of targets that an account publishes in a month: the project's limit, or else the installation's. Null if there is no limit."""

    account_warning_percent: int
    """Share of the monthly limit that triggers the warning, in percent."""


class ImagePixels(TypedDict):
    """Maximum number of pixels of a frame, by format."""

    jpeg: int
    """JPEG."""

    png: int
    """PNG."""

    webp: int
    """WebP."""

    avif: int
    """AVIF."""

    gif: int
    """GIF."""


QueuePosition: TypeAlias = Literal["next", "last", "first"]


NewPostStatus: TypeAlias = Literal["draft"]


Platform: TypeAlias = Literal["sandbox", "bluesky", "mastodon", "twitter", "linkedin", "facebook", "threads", "instagram", "pinterest", "youtube", "tiktok", "telegram", "discord", "slack", "wordpress", "nostr"]


Weekday: TypeAlias = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


ReviewAction: TypeAlias = Literal["publish"]


EventType: TypeAlias = Literal["post.published", "post.failed", "post.partial", "account.connected", "account.disconnected", "account.expiring", "post.edited", "post.unpublished", "post.updated", "platform_app.credits_exhausted", "post.scheduled", "account.refreshed", "account.quota_warning", "account.quota_exceeded"]


ReplayedStatus: TypeAlias = Literal["failed", "skipped", "canceled", "delivered", "missing"]


Scope: TypeAlias = Literal["posts:read", "posts:draft", "posts:write", "accounts:read", "accounts:write", "webhooks:read", "webhooks:write", "keys:write"]


KeyEnvironment: TypeAlias = Literal["production", "test"]


class WarnedPost(Post):
    """`Post` with the warnings of the request."""

    warnings: list[PostIssue]
    """Issues that did not prevent the request, but may surprise you."""


class ListPostsParams(TypedDict):
    status: NotRequired[list[Literal["draft", "scheduled", "pending", "published", "partial", "failed", "canceled"]]]
    """Only posts with one of these statuses."""

    platform: NotRequired[Literal["sandbox", "bluesky", "mastodon", "twitter", "linkedin", "facebook", "threads", "instagram", "pinterest", "youtube", "tiktok", "telegram", "discord", "slack", "wordpress", "nostr"]]
    """Only posts to this network."""

    account_id: NotRequired[str]
    """Only posts to this account."""

    social_account_id: NotRequired[str]
    """Former name of `account_id`. Works at least until 2027-06-01."""

    external_user_id: NotRequired[str]
    """Only posts to accounts of this user."""

    label: NotRequired[list[str]]
    """Only posts with one of these labels."""

    metadata: NotRequired[dict[str, str]]
    """Only posts whose metadata has all these pairs."""

    q: NotRequired[str]
    """Only posts whose caption, or that of one of their targets, has all these words or words that begin with them. At least 2 characters."""

    created_from: NotRequired[str]
    """Only posts created at or after this time."""

    created_to: NotRequired[str]
    """Only posts created before this time."""

    from_: NotRequired[str]
    """The same as `created_from`."""

    to: NotRequired[str]
    """The same as `created_to`."""

    scheduled_from: NotRequired[str]
    """Only posts scheduled for a time at or after this time."""

    scheduled_to: NotRequired[str]
    """Only posts scheduled for a time before this time."""

    published_from: NotRequired[str]
    """Only posts published at or after this time."""

    published_to: NotRequired[str]
    """Only posts published before this time."""

    order: NotRequired[Literal["-created_at", "scheduled_at", "-scheduled_at", "-published_at"]]
    """Order of the list. A cursor belongs to its order. Default: -created_at."""

    include: NotRequired[list[Literal["total_count"]]]
    """What to add to the list."""

    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class PostPage(TypedDict):
    """A page of a list."""

    data: list[Post]
    meta: PostPageMeta
    request_id: str
    """ID of the request, for support and logs."""


class CreatePostsParams(TypedDict):
    posts: NotRequired[list[dict[str, Any]]]
    """Posts to create, 1 to 500. Each is accepted or refused on its own."""

    csv: NotRequired[str]
    """The posts as CSV, instead of `posts`."""

    dry_run: NotRequired[bool]
    """Whether to check the posts without creating any. Each is checked as if it were the only one."""


class ExportPostsParams(TypedDict):
    status: NotRequired[list[Literal["draft", "scheduled", "pending", "published", "partial", "failed", "canceled"]]]
    """Only posts with one of these statuses."""

    platform: NotRequired[Literal["sandbox", "bluesky", "mastodon", "twitter", "linkedin", "facebook", "threads", "instagram", "pinterest", "youtube", "tiktok", "telegram", "discord", "slack", "wordpress", "nostr"]]
    """Only posts to this network."""

    account_id: NotRequired[str]
    """Only posts to this account."""

    social_account_id: NotRequired[str]
    """Former name of `account_id`. Works at least until 2027-06-01."""

    external_user_id: NotRequired[str]
    """Only posts to accounts of this user."""

    label: NotRequired[list[str]]
    """Only posts with one of these labels."""

    metadata: NotRequired[dict[str, str]]
    """Only posts whose metadata has all these pairs."""

    q: NotRequired[str]
    """Only posts whose caption, or that of one of their targets, has all these words or words that begin with them. At least 2 characters."""

    created_from: NotRequired[str]
    """Only posts created at or after this time."""

    created_to: NotRequired[str]
    """Only posts created before this time."""

    from_: NotRequired[str]
    """The same as `created_from`."""

    to: NotRequired[str]
    """The same as `created_to`."""

    scheduled_from: NotRequired[str]
    """Only posts scheduled for a time at or after this time."""

    scheduled_to: NotRequired[str]
    """Only posts scheduled for a time before this time."""

    published_from: NotRequired[str]
    """Only posts published at or after this time."""

    published_to: NotRequired[str]
    """Only posts published before this time."""

    order: NotRequired[Literal["-created_at", "scheduled_at", "-scheduled_at", "-published_at"]]
    """Order of the rows. Default: -created_at."""


class ListPostCountsParams(TypedDict):
    from_: str
    """Start of the interval, inclusive."""

    to: str
    """End of the interval, exclusive. At most 366 days after the start."""

    timezone: NotRequired[str]
    """Time zone of the days, as IANA names it, such as Europe/Berlin. Default: UTC."""


class PostCountPage(TypedDict):
    """A page of a list."""

    data: list[PostCount]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class DeletePostParams(TypedDict):
    unpublish: NotRequired[bool]
    """Whether to remove the published targets from their networks before the record is deleted."""


class DeletedPost(TypedDict):
    """What a deletion left."""

    is_pending: bool
    """Whether public targets are still being removed, before the record is deleted."""

    still_public: int
    """How many targets stay public at their networks, or may be."""


class ListAttemptsParams(TypedDict):
    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class PostAttemptPage(TypedDict):
    """A page of a list."""

    data: list[PostAttempt]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ListLabelsParams(TypedDict):
    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class LabelPage(TypedDict):
    """A page of a list."""

    data: list[Label]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class WarnedQueue(Queue):
    """`Queue` with the warnings of the request."""

    warnings: list[QueueIssue]
    """Issues that did not prevent the request, but may surprise you."""


class ListQueuesParams(TypedDict):
    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class QueuePage(TypedDict):
    """A page of a list."""

    data: list[Queue]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ListQueueSlotsParams(TypedDict):
    from_: NotRequired[str]
    """Start of the period, inclusive. Default: now."""

    to: NotRequired[str]
    """End of the period, exclusive, at most 62 days after its start. Default: 7 days after its start."""


class QueueSlotPage(TypedDict):
    """A page of a list."""

    data: list[QueueSlot]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ListMediaFilesParams(TypedDict):
    status: NotRequired[Literal["pending", "uploaded", "attached", "failed", "deleted"]]
    """Only media with this status."""

    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class MediaPage(TypedDict):
    """A page of a list."""

    data: list[Media]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ListAccountsParams(TypedDict):
    platform: NotRequired[Literal["sandbox", "bluesky", "mastodon", "twitter", "linkedin", "facebook", "threads", "instagram", "pinterest", "youtube", "tiktok", "telegram", "discord", "slack", "wordpress", "nostr"]]
    """Only accounts of this network."""

    external_user_id: NotRequired[str]
    """Only accounts of this user."""

    status: NotRequired[Literal["active", "reconnect_required", "disconnected", "expiring"]]
    """Only accounts with this status."""

    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 100."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class AccountPage(TypedDict):
    """A page of a list."""

    data: list[Account]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class DisconnectAccountParams(TypedDict):
    erase: NotRequired[bool]
    """Whether to also erase the account's name, user and IDs, the network's answers in its results, and its events."""


class GetAccountUsageParams(TypedDict):
    month: NotRequired[str]
    """Calendar month in UTC, as `YYYY-MM`. Default: the current month."""


class GetAccountCapabilitiesParams(TypedDict):
    refresh: NotRequired[bool]
    """Whether to ask the network for what it accepts from the account now. Only some networks answer that."""


class ListAccountChoicesParams(TypedDict):
    parent_id: NotRequired[str]
    """Only choices directly below this one."""

    q: NotRequired[str]
    """Only choices whose name or description contains this text. Case is ignored."""

    refresh: NotRequired[bool]
    """Whether to ask the network again, at most once a minute. Otherwise Fanfare asks only if the list is more than an hour old."""

    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 100."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class ChoicePage(TypedDict):
    """A page of a list."""

    data: list[Choice]
    meta: PageMeta
    fetched_at: str
    """Time when the network gave the list."""

    is_complete: bool
    """Whether these are all choices of the network. A very long list is cut."""

    request_id: str
    """ID of the request, for support and logs."""


class ListUsersParams(TypedDict):
    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class UserPage(TypedDict):
    """A page of a list."""

    data: list[User]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class PlatformAppPage(TypedDict):
    """A page of a list."""

    data: list[PlatformApp]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class DeletePlatformAppParams(TypedDict):
    force: NotRequired[bool]
    """`true` deletes the app even if accounts are connected with it. These accounts must then be reconnected. Default: false."""


class CapabilitiesPage(TypedDict):
    """A page of a list."""

    data: list[Capabilities]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ListWebhooksParams(TypedDict):
    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 100."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class WebhookPage(TypedDict):
    """A page of a list."""

    data: list[Webhook]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ListDeliveriesParams(TypedDict):
    status: NotRequired[Literal["pending", "retrying", "delivered", "failed", "skipped", "canceled"]]
    """Only deliveries with this status."""

    event: NotRequired[Literal["post.published", "post.failed", "post.partial", "account.connected", "account.disconnected", "account.expiring", "post.edited", "post.unpublished", "post.updated", "platform_app.credits_exhausted", "post.scheduled", "account.refreshed", "account.quota_warning", "account.quota_exceeded"]]
    """Only deliveries of this event type."""

    from_: NotRequired[str]
    """Start of the period, inclusive."""

    to: NotRequired[str]
    """End of the period, exclusive."""

    since: NotRequired[str]
    """Former name of `from`. Works at least until 2027-06-01."""

    until: NotRequired[str]
    """Former name of `to`. Works at least until 2027-06-01."""

    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class DeliveryPage(TypedDict):
    """A page of a list."""

    data: list[Delivery]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ListAllDeliveriesParams(TypedDict):
    status: NotRequired[Literal["pending", "retrying", "delivered", "failed", "skipped", "canceled"]]
    """Only deliveries with this status."""

    event: NotRequired[Literal["post.published", "post.failed", "post.partial", "account.connected", "account.disconnected", "account.expiring", "post.edited", "post.unpublished", "post.updated", "platform_app.credits_exhausted", "post.scheduled", "account.refreshed", "account.quota_warning", "account.quota_exceeded"]]
    """Only deliveries of this event type."""

    from_: NotRequired[str]
    """Start of the period, inclusive."""

    to: NotRequired[str]
    """End of the period, exclusive."""

    since: NotRequired[str]
    """Former name of `from`. Works at least until 2027-06-01."""

    until: NotRequired[str]
    """Former name of `to`. Works at least until 2027-06-01."""

    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class ListDeliveryCountsParams(TypedDict):
    from_: str
    """Start of the interval, inclusive."""

    to: str
    """End of the interval, exclusive. At most 366 days after the start."""

    timezone: NotRequired[str]
    """Time zone of the days, as IANA names it, such as Europe/Berlin. Default: UTC."""


class DeliveryCountPage(TypedDict):
    """A page of a list."""

    data: list[DeliveryCount]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ReplayDeliveriesParams(TypedDict):
    from_: NotRequired[str]
    """Start of the period, inclusive. Required. Must be within the retention period of events."""

    to: NotRequired[str]
    """End of the period, exclusive. Default: now. A later time counts as now."""

    since: NotRequired[str]
    """Former name of `from`. Works at least until 2027-06-01."""

    until: NotRequired[str]
    """Former name of `to`. Works at least until 2027-06-01."""

    status: NotRequired[list[ReplayedStatus] | None]
    """Which deliveries to send again. Default: failed and skipped ones."""


class ListReplaysParams(TypedDict):
    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class ReplayPage(TypedDict):
    """A page of a list."""

    data: list[Replay]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ListEventsParams(TypedDict):
    event: NotRequired[Literal["post.published", "post.failed", "post.partial", "account.connected", "account.disconnected", "account.expiring", "post.edited", "post.unpublished", "post.updated", "platform_app.credits_exhausted", "post.scheduled", "account.refreshed", "account.quota_warning", "account.quota_exceeded"]]
    """Only events of this type."""

    test: NotRequired[bool]
    """`true` lists test events instead of real ones. Default: false."""

    from_: NotRequired[str]
    """Start of the period, inclusive."""

    to: NotRequired[str]
    """End of the period, exclusive."""

    since: NotRequired[str]
    """Former name of `from`. Works at least until 2027-06-01."""

    until: NotRequired[str]
    """Former name of `to`. Works at least until 2027-06-01."""

    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 25."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class EventPage(TypedDict):
    """A page of a list."""

    data: list[Event]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class EventTypeInfoPage(TypedDict):
    """A page of a list."""

    data: list[EventTypeInfo]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""


class ListApiKeysParams(TypedDict):
    limit: NotRequired[int]
    """Page size, 1 to 100. A page ends early when its texts reach 1 MB. Default: 100."""

    cursor: NotRequired[str]
    """`next_cursor` of the previous page."""


class ApiKeyPage(TypedDict):
    """A page of a list."""

    data: list[ApiKey]
    meta: PageMeta
    request_id: str
    """ID of the request, for support and logs."""
