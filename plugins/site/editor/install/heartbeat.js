import { doAction } from '@wordpress/hooks'

/** Milliseconds between two beats; locks of posts last longer. */
const HEARTBEAT_INTERVAL_MS = 15_000

/** Refreshes the lock of the post and the nonces at regular intervals, and reports other users who edit the post. */
export function beat({ word, ajaxUrl, post, nonce }, nonceMiddleware) {
  const key = `${word}-refresh-post-lock`
  let heartbeatNonce = nonce
  const once = async () => {
    const data = {}
    doAction('heartbeat.send', data)
    // The editor uses names with the prefix of WordPress.
    const lock = data['wp-refresh-post-lock'] ?? { post_id: post.id }
    const form = new URLSearchParams({ action: 'heartbeat', _nonce: heartbeatNonce, screen_id: post.type })
    for (const [name, value] of Object.entries(lock)) form.set(`data[${key}][${name}]`, String(value))
    const response = await fetch(ajaxUrl, { method: 'POST', body: form })
    if (!response.ok) return
    const answer = await response.json()
    if (answer.nonces_expired) {
      heartbeatNonce = nonceMiddleware.nonce
      return
    }
    heartbeatNonce = answer.heartbeat_nonce ?? heartbeatNonce
    if (answer.rest_nonce) nonceMiddleware.nonce = answer.rest_nonce
    doAction('heartbeat.tick', { ...answer, 'wp-refresh-post-lock': answer[key] })
  }
  const again = () =>
    setTimeout(
      () =>
        once()
          .catch(() => {})
          .finally(again),
      HEARTBEAT_INTERVAL_MS,
    )
  again()
}
