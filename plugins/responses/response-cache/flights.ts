import { unlessAborted, type RestRequest, type Work } from '../../../kernel/index.ts'
import type { Entry } from './entry.ts'

/** A response that is being made, which others wait for. */
export interface Flight {
  /** The entry that it became; null where it failed, or may not be kept. Never rejects. */
  readonly landed: Promise<Entry | null>
  land(entry: Entry | null): void
  readonly work: Work
}

/** Responses that are being made, by key, so that each is made once for all who ask for it at the same time. */
export class Flights {
  readonly #flights = new Map<string, Flight>()

  /** The flight of a key that somebody may still join: its own client waits for it. */
  get(key: string): Flight | undefined {
    const flight = this.#flights.get(key)
    return flight === undefined || flight.work.isLeft || flight.work.aborted ? undefined : flight
  }

  /** Begins one, which others may join until it has landed. */
  begin(key: string, work: Work): Flight {
    const { promise: landed, resolve } = Promise.withResolvers<Entry | null>()
    const land = (entry: Entry | null) => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
      resolve(entry)
    }
    const flight: Flight = { landed, land, work }
    this.#flights.set(key, flight)
    return flight
  }
}

/**
 * Waits until a response has been made for somebody else. It goes on being made as long as anybody waits for it.
 * @throws (by the promise) why nobody waits for the response to this request any more
 */
export async function join(
  { landed, work: made }: Flight,
  { signal }: Pick<RestRequest, 'signal'>,
): Promise<Entry | null> {
  const leave = made.share()
  try {
    return await unlessAborted(landed, signal)
  } finally {
    leave()
  }
}
