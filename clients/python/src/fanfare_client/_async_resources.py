"""The calls of the asynchronous client.

Written by `scripts/generate.py`. Don't edit this file.
"""

from __future__ import annotations

import builtins

from typing_extensions import Unpack

from . import _calls, types
from ._async import AsyncList, AsyncResource
from ._durations import Duration


class AsyncPosts(AsyncResource):
    async def create(self, *, wait: Duration | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreatePost]) -> types.WarnedPost:
        """Create a post.

        Publishes a post to one or more accounts, schedules it or keeps it as a draft. Returns 202 if the post is being published, and 201 if it is scheduled or a draft. Anything but a draft also requires the scope `posts:write`.

        Requires the scope `posts:draft`.
        """
        return await self._send(_calls.POSTS_CREATE, (), wait=wait, timeout=timeout, max_retries=max_retries, params=params)

    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListPostsParams]) -> AsyncList[types.Post, types.PostPage]:
        """List posts.

        Filters apply together. Intervals include their start and exclude their end. A post that is added or moved while you read pages never hides another one.

        Requires the scope `posts:read`.
        """
        return self._list(_calls.POSTS_LIST, (), timeout=timeout, max_retries=max_retries, params=params)

    async def validate(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreatePost]) -> types.PostValidation:
        """Validate a post.

        Checks the post as `POST /v1/posts` would, without creating it. A malformed request, such as one with unknown fields or wrong types, returns `validation_error` or `malformed_json` as usual.

        Requires the scope `posts:draft`.
        """
        return await self._send(_calls.POSTS_VALIDATE, (), timeout=timeout, max_retries=max_retries, params=params)

    async def bulk_create(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreatePostsParams]) -> builtins.list[types.CreatedPost]:
        """Create several posts.

        Each post is accepted or refused on its own. `data` has one item per post: the status that creating it alone would return, with the post or the error. With an `Idempotency-Key`, a repeat creates only the posts that do not exist yet. Each post counts as a request of the rate limit. As CSV, each row below the header is a post, and the path `rows[3].caption` of an issue is the column `caption` of row 3.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_BULK_CREATE, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def bulk_update(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.UpdatePosts]) -> builtins.list[types.ChangedPost]:
        """Update several posts.

        Each post is changed or refused on its own, in order, as `PATCH /v1/posts/:id` would. `data` has one item per post: the status that a request for it alone would return, with the post or the error. With an `Idempotency-Key`, a repeat does only what is left. Each post counts as a request of the rate limit.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_BULK_UPDATE, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def bulk_cancel(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CancelPosts]) -> builtins.list[types.ChangedPost]:
        """Cancel several posts.

        Each post is canceled or refused on its own, in order. `data` has one item per post: the status that a request for it alone would return, with the post or the error. With an `Idempotency-Key`, a repeat does only what is left. Each post counts as a request of the rate limit.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_BULK_CANCEL, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def bulk_delete(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.DeletePosts]) -> builtins.list[types.ChangedPost]:
        """Delete several posts.

        Each post is deleted or refused on its own, in order, as `DELETE /v1/posts/:id` would. `data` has one item per post: the status that a request for it alone would return, with the post or the error. With an `Idempotency-Key`, a repeat does only what is left. Each post counts as a request of the rate limit.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_BULK_DELETE, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def export_csv(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ExportPostsParams]) -> str:
        """Export posts as CSV.

        All posts that match the filters of `GET /v1/posts`, one row for each. A cell that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets an apostrophe in front, so that a spreadsheet shows it as text. If the export fails on the way, the connection is cut, so a complete file has ended properly.

        Requires the scope `posts:read`.
        """
        return await self._send(_calls.POSTS_EXPORT_CSV, (), timeout=timeout, max_retries=max_retries, params=params)

    def counts(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListPostCountsParams]) -> AsyncList[types.PostCount, types.PostCountPage]:
        """Count posts by day and status.

        A post counts on the day of its scheduled time, or of its publication if it has none. Posts with neither are left out, and so are days without posts.

        Requires the scope `posts:read`.
        """
        return self._list(_calls.POSTS_COUNTS, (), timeout=timeout, max_retries=max_retries, params=params)

    async def get(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.Post:
        """Get a post with its results.

        Requires the scope `posts:read`.
        """
        return await self._send(_calls.POSTS_GET, (id,), timeout=timeout, max_retries=max_retries)

    async def update(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.UpdatePost]) -> types.WarnedPost:
        """Update a post.

        The post must be a draft or scheduled. A new `scheduled_at` schedules or reschedules it. Anything but a change of a draft that stays one also requires the scope `posts:write`.

        Requires the scope `posts:draft`.
        """
        return await self._send(_calls.POSTS_UPDATE, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def delete(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.DeletePostParams]) -> types.DeletedPost:
        """Delete a post.

        Deletes only the record. Published posts stay on their networks, and the header `Fanfare-Still-Public` has their number. With `unpublish`, they are removed first: the request returns 202, and the record is deleted once no target is public. If a removal fails, the record stays. A post that is being published or changed cannot be deleted.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_DELETE, (id,), timeout=timeout, max_retries=max_retries, params=params)

    async def publish(self, id: str, /, *, idempotency_key: str | None = None, wait: Duration | None = None, timeout: Duration | None = None, max_retries: int | None = None) -> types.WarnedPost:
        """Publish a post now.

        The post must be a draft or scheduled. Its content is checked again. In issues, `platform_posts` are the targets in the order of the results.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_PUBLISH, (id,), idempotency_key=idempotency_key, wait=wait, timeout=timeout, max_retries=max_retries)

    async def duplicate(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None) -> types.WarnedPost:
        """Copy a post into a new draft.

        Copies the text, media, targets with their options, metadata and labels of a post in any status. The draft has no times, and no options that a creator decides for each post, such as `privacy_level` and `consent` at TikTok. `warnings` name what it lacks, such as media that were deleted since. In issues, `platform_posts` are the targets in the order of the results.

        Requires the scope `posts:draft`.
        """
        return await self._send(_calls.POSTS_DUPLICATE, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def cancel(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None) -> types.Post:
        """Cancel a post.

        Cancels the targets that have not been sent yet. Returns `conflict` if there are none.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_CANCEL, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def retry_result(self, id: str, result_id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None) -> types.PostResult:
        """Retry a target.

        Publishes a failed target again, or its first comment if only that failed. The post is pending until the target has ended. Then it gets a new status and a new event.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_RETRY_RESULT, (id, result_id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def update_result(self, id: str, result_id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.UpdateResult]) -> types.PostResult:
        """Edit a published target.

        Edits the post at its network, where the network allows it: `after_publishing` in the capabilities lists the fields. `changes` of the result shows how the edit ends. A target has one change at a time.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_UPDATE_RESULT, (id, result_id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def unpublish_result(self, id: str, result_id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None) -> types.PostResult:
        """Remove a published target from its network.

        Removes the target's post and its first comment, where the network allows it. With the ID of a first comment, removes only that. A thread is removed from its last part. The status of the post and the usage of the account don't change. `changes` of the result shows how the removal ends.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_UNPUBLISH_RESULT, (id, result_id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    async def mark_result_unpublished(self, id: str, result_id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None) -> types.PostResult:
        """Record that a published target was removed by hand.

        For a target that Fanfare can't remove, or failed to remove. For any other target, the request returns `conflict`: unpublish it, which also succeeds if the post is gone.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_MARK_RESULT_UNPUBLISHED, (id, result_id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)

    def list_attempts(self, id: str, result_id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListAttemptsParams]) -> AsyncList[types.PostAttempt, types.PostAttemptPage]:
        """List the attempts of a target or a first comment.

        Each attempt is a call to the network. Newest first. Token refreshes are not included.

        Requires the scope `posts:read`.
        """
        return self._list(_calls.POSTS_LIST_ATTEMPTS, (id, result_id,), timeout=timeout, max_retries=max_retries, params=params)

    async def create_review_link(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreateReviewLink]) -> types.ReviewLink:
        """Create a review link.

        A link to a hosted page on which the creator at TikTok sees the post, chooses who sees it there, and publishes it, as the guidelines of TikTok demand. The post must be a draft or scheduled, with one target at TikTok. A draft may lack `privacy_level` and `consent`: the creator gives both on the page. The link works once, for 7 days.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.POSTS_CREATE_REVIEW_LINK, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)


class AsyncLabels(AsyncResource):
    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListLabelsParams]) -> AsyncList[types.Label, types.LabelPage]:
        """List the labels of posts.

        With the number of posts that have each label. Sorted by name.

        Requires the scope `posts:read`.
        """
        return self._list(_calls.LABELS_LIST, (), timeout=timeout, max_retries=max_retries, params=params)


class AsyncQueues(AsyncResource):
    async def create(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreateQueue]) -> types.WarnedQueue:
        """Create a queue.

        A post takes one of its slots by `queue_id` instead of a time.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.QUEUES_CREATE, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListQueuesParams]) -> AsyncList[types.Queue, types.QueuePage]:
        """List queues.

        Newest first.

        Requires the scope `posts:read`.
        """
        return self._list(_calls.QUEUES_LIST, (), timeout=timeout, max_retries=max_retries, params=params)

    async def get(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.Queue:
        """Get a queue.

        Requires the scope `posts:read`.
        """
        return await self._send(_calls.QUEUES_GET, (id,), timeout=timeout, max_retries=max_retries)

    async def update(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.UpdateQueue]) -> types.WarnedQueue:
        """Update a queue.

        The change is for new posts. `POST /v1/queues/:id/reschedule` applies changed slots to posts that have a slot.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.QUEUES_UPDATE, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def delete(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> None:
        """Delete a queue.

        Scheduled posts keep their times.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.QUEUES_DELETE, (id,), timeout=timeout, max_retries=max_retries)

    def slots(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListQueueSlotsParams]) -> AsyncList[types.QueueSlot, types.QueueSlotPage]:
        """List the slots of a queue.

        All slots of the period, earliest first, with the posts that have them. Posts keep slots that are no longer in the plan.

        Requires the scope `posts:read`.
        """
        return self._list(_calls.QUEUES_SLOTS, (id,), timeout=timeout, max_retries=max_retries, params=params)

    async def reschedule(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None) -> types.RescheduledQueue:
        """Move the posts of a queue to its current slots.

        Scheduled posts move to the first slots of the plan, in their order. Posts that are due within 60 seconds stay. Returns `queue_full` and moves none if the plan has too few slots, and `conflict` if a post would miss its deadline.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.QUEUES_RESCHEDULE, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class AsyncMedia(AsyncResource):
    async def create(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreateMedia]) -> types.UploadableMedia:
        """Create media for an upload.

        Then `PUT` the bytes to `upload_url`: the bytes themselves, not a form, and without an API key. The URL works for 24 hours, and is shown only in this response. `POST /v1/media/:id/upload-url` gives a new one.

        Requires the scope `posts:draft`.
        """
        return await self._send(_calls.MEDIA_CREATE, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListMediaFilesParams]) -> AsyncList[types.Media, types.MediaPage]:
        """List media.

        Newest first, with deleted media.

        Requires the scope `posts:read`.
        """
        return self._list(_calls.MEDIA_LIST, (), timeout=timeout, max_retries=max_retries, params=params)

    async def get(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.Media:
        """Get media.

        Requires the scope `posts:read`.
        """
        return await self._send(_calls.MEDIA_GET, (id,), timeout=timeout, max_retries=max_retries)

    async def delete(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> None:
        """Delete media.

        Removes the bytes. Media of a draft, or of a post that is scheduled or being published, cannot be deleted.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.MEDIA_DELETE, (id,), timeout=timeout, max_retries=max_retries)

    async def renew_upload_url(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None) -> types.UploadableMedia:
        """Renew the upload URL of media.

        The old URL stops working. The bytes received so far are kept.

        Requires the scope `posts:write`.
        """
        return await self._send(_calls.MEDIA_RENEW_UPLOAD_URL, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class AsyncAccounts(AsyncResource):
    async def connect(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ConnectAccount]) -> types.Account:
        """Connect an account with credentials.

        Returns 201 for a new account, and 200 for an account that was connected again.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.ACCOUNTS_CONNECT, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def import_(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ImportAccount]) -> types.Account:
        """Connect an account with tokens of your own.

        For tokens that your own app obtained. Fanfare asks the network whose they are. Refused with the issue `token_invalid` or `scope_missing`. Returns 201 for a new account, and 200 for an account that was connected again.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.ACCOUNTS_IMPORT_, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListAccountsParams]) -> AsyncList[types.Account, types.AccountPage]:
        """List accounts.

        Newest first. Includes disconnected accounts.

        Requires the scope `accounts:read`.
        """
        return self._list(_calls.ACCOUNTS_LIST, (), timeout=timeout, max_retries=max_retries, params=params)

    async def get(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.Account:
        """Get an account.

        Requires the scope `accounts:read`.
        """
        return await self._send(_calls.ACCOUNTS_GET, (id,), timeout=timeout, max_retries=max_retries)

    async def update(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.UpdateAccount]) -> types.Account:
        """Change an account.

        Changes your name for the account, its user, and the defaults of its posts. Fields you send replace the old value completely.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.ACCOUNTS_UPDATE, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def disconnect(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.DisconnectAccountParams]) -> None:
        """Disconnect an account.

        Revokes the access at the network and deletes the credentials. With `erase`, also erases what the account left behind, as `DELETE /v1/users/:external_user_id` does.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.ACCOUNTS_DISCONNECT, (id,), timeout=timeout, max_retries=max_retries, params=params)

    async def health(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.AccountHealth:
        """Check whether an account can publish, now and soon.

        Requires the scope `accounts:read`.
        """
        return await self._send(_calls.ACCOUNTS_HEALTH, (id,), timeout=timeout, max_retries=max_retries)

    async def usage(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.GetAccountUsageParams]) -> types.AccountUsage:
        """Get an account's use of its monthly limit.

        Requires the scope `accounts:read`.
        """
        return await self._send(_calls.ACCOUNTS_USAGE, (id,), timeout=timeout, max_retries=max_retries, params=params)

    async def capabilities(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.GetAccountCapabilitiesParams]) -> types.Capabilities:
        """Get what an account accepts.

        The rules of the account's network, or its own, such as the text limit of its Mastodon server. With `refresh`, Fanfare first asks the network. This fails with `reconnect_required` if the network no longer grants access.

        Requires the scope `accounts:read`.
        """
        return await self._send(_calls.ACCOUNTS_CAPABILITIES, (id,), timeout=timeout, max_retries=max_retries, params=params)

    def choices(self, id: str, kind: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListAccountChoicesParams]) -> AsyncList[types.Choice, types.ChoicePage]:
        """List the choices for an account's options.

        What the network offers to the account as values of options, such as the categories of its site. `choices` in the capabilities lists the kinds. Fanfare keeps a list for an hour, and searches the kept one. Fails with `reconnect_required` if the network no longer grants access.

        Requires the scope `accounts:read`.
        """
        return self._list(_calls.ACCOUNTS_CHOICES, (id, kind,), timeout=timeout, max_retries=max_retries, params=params)

    async def create_check(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreateAccountCheck]) -> types.AccountCheck:
        """Check an account.

        Asks the network whether the account can publish: its login, permissions, app and quota, and whether the network can fetch media from this installation. Nothing is published, unless you ask for that with `publish`, which needs the scope `posts:write` and counts in the usage of the account. An account has one check at a time, and at most 10 an hour, of which 3 publish.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.ACCOUNTS_CREATE_CHECK, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def get_check(self, id: str, check_id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.AccountCheck:
        """Get a check of an account.

        Kept as long as events are.

        Requires the scope `accounts:read`.
        """
        return await self._send(_calls.ACCOUNTS_GET_CHECK, (id, check_id,), timeout=timeout, max_retries=max_retries)


class AsyncUsers(AsyncResource):
    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListUsersParams]) -> AsyncList[types.User, types.UserPage]:
        """List users.

        The users whom you named when accounts were connected, newest account first.

        Requires the scope `accounts:read`.
        """
        return self._list(_calls.USERS_LIST, (), timeout=timeout, max_retries=max_retries, params=params)

    async def get(self, external_user_id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.User:
        """Get a user.

        Requires the scope `accounts:read`.
        """
        return await self._send(_calls.USERS_GET, (external_user_id,), timeout=timeout, max_retries=max_retries)

    async def erase(self, external_user_id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> None:
        """Erase a user.

        Disconnects the user's accounts, and cancels open connect sessions. Names, users and IDs of the accounts are erased at once. Within about an hour, IDs, URLs and the network's answers are erased from their results, and the events of the accounts and of their posts are deleted. Results keep their status and times. A repeated call erases what is left, and an unknown user is no error.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.USERS_ERASE, (external_user_id,), timeout=timeout, max_retries=max_retries)


class AsyncConnect(AsyncResource):
    async def create_session(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreateConnectSession]) -> types.ConnectSession:
        """Create a connect session.

        A connect session is a hosted page on which a user connects an account, or reconnects one.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.CONNECT_CREATE_SESSION, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def get_session(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.ConnectSession:
        """Get a connect session.

        Requires the scope `accounts:read`.
        """
        return await self._send(_calls.CONNECT_GET_SESSION, (id,), timeout=timeout, max_retries=max_retries)


class AsyncPlatformCredentials(AsyncResource):
    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None) -> AsyncList[types.PlatformApp, types.PlatformAppPage]:
        """List your own apps at networks.

        Requires the scope `accounts:read`.
        """
        return self._list(_calls.PLATFORM_CREDENTIALS_LIST, (), timeout=timeout, max_retries=max_retries)

    async def get(self, platform: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.PlatformApp:
        """Get your own app at a network.

        Requires the scope `accounts:read`.
        """
        return await self._send(_calls.PLATFORM_CREDENTIALS_GET, (platform,), timeout=timeout, max_retries=max_retries)

    async def set(self, platform: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.SetPlatformApp]) -> types.PlatformApp:
        """Set your own app at a network.

        Users who connect an account then give their consent to your app instead of the operator's. Accounts that are connected stay with the app that connected them. Refused with the issue `app_not_supported` at a network that takes no app. Returns 201 for the first app at the network, and 200 for a change.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.PLATFORM_CREDENTIALS_SET, (platform,), timeout=timeout, max_retries=max_retries, params=params)

    async def delete(self, platform: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.DeletePlatformAppParams]) -> None:
        """Delete your own app at a network.

        Refused with `conflict` while accounts are connected with the app, unless `force` is true.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.PLATFORM_CREDENTIALS_DELETE, (platform,), timeout=timeout, max_retries=max_retries, params=params)


class AsyncPlatforms(AsyncResource):
    def capabilities(self, *, timeout: Duration | None = None, max_retries: int | None = None) -> AsyncList[types.Capabilities, types.CapabilitiesPage]:
        """List what each network accepts.

        Any API key can call this.
        """
        return self._list(_calls.PLATFORMS_CAPABILITIES, (), timeout=timeout, max_retries=max_retries)


class AsyncWebhooks(AsyncResource):
    async def create(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreateWebhook]) -> types.WebhookWithSecret:
        """Create a webhook.

        The signing secret is shown only in this response.

        Requires the scope `webhooks:write`.
        """
        return await self._send(_calls.WEBHOOKS_CREATE, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListWebhooksParams]) -> AsyncList[types.Webhook, types.WebhookPage]:
        """List webhooks.

        Newest first.

        Requires the scope `webhooks:read`.
        """
        return self._list(_calls.WEBHOOKS_LIST, (), timeout=timeout, max_retries=max_retries, params=params)

    async def get(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.Webhook:
        """Get a webhook.

        Requires the scope `webhooks:read`.
        """
        return await self._send(_calls.WEBHOOKS_GET, (id,), timeout=timeout, max_retries=max_retries)

    async def update(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.UpdateWebhook]) -> types.Webhook:
        """Update a webhook.

        `active` disables or enables the webhook.

        Requires the scope `webhooks:write`.
        """
        return await self._send(_calls.WEBHOOKS_UPDATE, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def delete(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> None:
        """Delete a webhook.

        Cancels the pending deliveries of the webhook.

        Requires the scope `webhooks:write`.
        """
        return await self._send(_calls.WEBHOOKS_DELETE, (id,), timeout=timeout, max_retries=max_retries)

    async def rotate(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.RotateWebhook]) -> types.WebhookWithSecret:
        """Rotate the signing secret.

        The new secret is shown only in this response.

        Requires the scope `webhooks:write`.
        """
        return await self._send(_calls.WEBHOOKS_ROTATE, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def test(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.TestWebhook]) -> types.Delivery:
        """Send a test event.

        The webhook may be disabled. The event is attempted once.

        Requires the scope `webhooks:write`.
        """
        return await self._send(_calls.WEBHOOKS_TEST, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    async def replay(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ReplayDeliveriesParams]) -> types.AcceptedReplay:
        """Replay deliveries.

        Sends past deliveries again, each with a new retry schedule. Delivery IDs stay the same, and attempt numbers continue. Test events are not sent again. A webhook runs one replay at a time.

        Requires the scope `webhooks:write`.
        """
        return await self._send(_calls.WEBHOOKS_REPLAY, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    def list_replays(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListReplaysParams]) -> AsyncList[types.Replay, types.ReplayPage]:
        """List the replays of a webhook.

        Newest first.

        Requires the scope `webhooks:read`.
        """
        return self._list(_calls.WEBHOOKS_LIST_REPLAYS, (id,), timeout=timeout, max_retries=max_retries, params=params)

    async def get_replay(self, id: str, replay_id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.Replay:
        """Get a replay.

        Requires the scope `webhooks:read`.
        """
        return await self._send(_calls.WEBHOOKS_GET_REPLAY, (id, replay_id,), timeout=timeout, max_retries=max_retries)


class AsyncDeliveries(AsyncResource):
    def list(self, *, webhook_id: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListAllDeliveriesParams]) -> AsyncList[types.Delivery, types.DeliveryPage]:
        """List the deliveries to all webhooks.

        Newest first.

        Requires the scope `webhooks:read`.
        """
        return self._list(*((_calls.DELIVERIES_LIST, ()) if webhook_id is None else (_calls.DELIVERIES_OF_WEBHOOK, (webhook_id,))), timeout=timeout, max_retries=max_retries, params=params)

    def counts(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListDeliveryCountsParams]) -> AsyncList[types.DeliveryCount, types.DeliveryCountPage]:
        """Count deliveries by day and status.

        Deliveries to all webhooks. A delivery counts on the day of its creation. Days without deliveries are left out.

        Requires the scope `webhooks:read`.
        """
        return self._list(_calls.DELIVERIES_COUNTS, (), timeout=timeout, max_retries=max_retries, params=params)

    async def get(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.DeliveryWithAttempts:
        """Get a delivery with its attempts.

        Requires the scope `webhooks:read`.
        """
        return await self._send(_calls.DELIVERIES_GET, (id,), timeout=timeout, max_retries=max_retries)

    async def retry(self, id: str, /, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None) -> types.RetriedDelivery:
        """Retry a delivery.

        Makes one more attempt now. The retry schedule does not change.

        Requires the scope `webhooks:write`.
        """
        return await self._send(_calls.DELIVERIES_RETRY, (id,), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries)


class AsyncEvents(AsyncResource):
    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListEventsParams]) -> AsyncList[types.Event, types.EventPage]:
        """List events.

        Newest first.

        Requires the scope `webhooks:read`.
        """
        return self._list(_calls.EVENTS_LIST, (), timeout=timeout, max_retries=max_retries, params=params)

    async def get(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.Event:
        """Get an event.

        Requires the scope `webhooks:read`.
        """
        return await self._send(_calls.EVENTS_GET, (id,), timeout=timeout, max_retries=max_retries)


class AsyncEventTypes(AsyncResource):
    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None) -> AsyncList[types.EventTypeInfo, types.EventTypeInfoPage]:
        """List event types.

        Each event type comes with the JSON Schema of its body.

        Any API key can call this.
        """
        return self._list(_calls.EVENT_TYPES_LIST, (), timeout=timeout, max_retries=max_retries)


class AsyncApiKeys(AsyncResource):
    async def create(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.CreateApiKey]) -> types.ApiKeyWithSecret:
        """Create an API key.

        The key itself is shown only in this response.

        Requires the scope `keys:write`.
        """
        return await self._send(_calls.API_KEYS_CREATE, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)

    def list(self, *, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.ListApiKeysParams]) -> AsyncList[types.ApiKey, types.ApiKeyPage]:
        """List API keys.

        Newest first.

        Requires the scope `keys:write`.
        """
        return self._list(_calls.API_KEYS_LIST, (), timeout=timeout, max_retries=max_retries, params=params)

    async def current(self, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.CurrentApiKey:
        """Get the API key of the request.

        Shows what the key allows, and its project.

        Any API key can call this.
        """
        return await self._send(_calls.API_KEYS_CURRENT, (), timeout=timeout, max_retries=max_retries)

    async def get(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.ApiKey:
        """Get an API key.

        Requires the scope `keys:write`.
        """
        return await self._send(_calls.API_KEYS_GET, (id,), timeout=timeout, max_retries=max_retries)

    async def revoke(self, id: str, /, *, timeout: Duration | None = None, max_retries: int | None = None) -> None:
        """Revoke an API key.

        Live streams opened with the key end within seconds.

        Requires the scope `keys:write`.
        """
        return await self._send(_calls.API_KEYS_REVOKE, (id,), timeout=timeout, max_retries=max_retries)


class AsyncProject(AsyncResource):
    async def get(self, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.Project:
        """Get the project of the API key.

        Requires the scope `accounts:read`.
        """
        return await self._send(_calls.PROJECT_GET, (), timeout=timeout, max_retries=max_retries)

    async def update(self, *, idempotency_key: str | None = None, timeout: Duration | None = None, max_retries: int | None = None, **params: Unpack[types.UpdateProject]) -> types.Project:
        """Update the project.

        Requires the scope `accounts:write`.
        """
        return await self._send(_calls.PROJECT_UPDATE, (), idempotency_key=idempotency_key, timeout=timeout, max_retries=max_retries, params=params)


class AsyncLimits(AsyncResource):
    async def get(self, *, timeout: Duration | None = None, max_retries: int | None = None) -> types.Limits:
        """Get the limits of this installation.

        Any API key can call this.
        """
        return await self._send(_calls.LIMITS_GET, (), timeout=timeout, max_retries=max_retries)
