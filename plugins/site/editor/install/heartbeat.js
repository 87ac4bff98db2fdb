import { doAction } from '@wordpress/hooks'

/** Milliseconds between two beats; locks of posts last longer. */
const PAUSE = 15_000

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
    const told = await response.json()
    if (told.nonces_expired) {
      heartbeatNonce = nonceMiddleware.nonce
      return
    }
    heartbeatNonce = told.heartbeat_nonce ?? heartbeatNonce
    if (told.rest_nonce) nonceMiddleware.nonce = told.rest_nonce
    doAction('heartbeat.tick', { ...told, 'wp-refresh-post-lock': told[key] })
  }
  const again = () =>
    setTimeout(
      () =>
        once()
          .catch(() => {})
          .finally(again),
      PAUSE,
    )
  again()
}
