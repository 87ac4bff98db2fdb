import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { doNotCache } from '../../library/caching/index.ts'

/** Diagnostics channels on which undici, `fetch` and `node:http` report requests to other servers. */
const CHANNELS = ['undici:request:create', 'http.client.request.start']

/** Prevents caching of responses that depend on requests to other servers. @returns a function that stops this */
export function watchOutgoingRequests(): () => void {
  const note = () => doNotCache('it depends on a request to another server')
  for (const channel of CHANNELS) subscribe(channel, note)
  return () => {
    for (const channel of CHANNELS) unsubscribe(channel, note)
  }
}
