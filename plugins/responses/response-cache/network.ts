import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { doNotKeep } from '../../library/caching/index.ts'

/** Where undici, the `fetch` of Node and `node:http` report each request to another server. */
const CHANNELS = ['undici:request:create', 'http.client.request.start']

/** Keeps responses out of the cache for which another server was asked. @returns a function that ends it */
export function refuseAnswersOfOthers(): () => void {
  const note = () => doNotKeep('another server was asked')
  for (const channel of CHANNELS) subscribe(channel, note)
  return () => {
    for (const channel of CHANNELS) unsubscribe(channel, note)
  }
}
