import { doAction } from '@wordpress/hooks'

/** Milliseconds between two beats: whoever edits is told to others for longer than that. */
const PAUSE = 15_000

/** Says again and again who edits, and hears who else does; keeps the nonces fresh. */
export function beat({ word, ajaxUrl, post, nonce }, nonceMiddleware) {
  const key = `${word}-refresh-post-lock`
  let heartbeatNonce = nonce
  const once = async () => {
    const data = {}
    doAction('heartbeat.send', data)
    // What the editor sends is under the name that it knows.
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
