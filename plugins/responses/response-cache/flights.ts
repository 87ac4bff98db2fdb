import { unlessAborted, type RestRequest, type Work } from '../../../kernel/index.ts'
import type { Entry } from './entry.ts'

/** A response in progress that identical requests wait for. */
export interface Flight {
  /** Resolves to the cached entry, or null if the response failed or cannot be cached. Never rejects. */
  readonly landed: Promise<Entry | null>
  land(entry: Entry | null): void
  readonly work: Work
}

/** Responses in progress by key, so that concurrent identical requests run once. */
export class Flights {
  readonly #flights = new Map<string, Flight>()

  /** Returns the response in progress for a key, if a client still waits for it. */
  get(key: string): Flight | undefined {
    const flight = this.#flights.get(key)
    return flight === undefined || flight.work.isLeft || flight.work.aborted ? undefined : flight
  }

  /** Starts a flight, which other requests can join until it has landed. */
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
 * Waits for an identical request in progress, which continues as long as any client waits for it.
 * @throws the abort reason of this request
 */
export async function join({ landed, work }: Flight, { signal }: Pick<RestRequest, 'signal'>): Promise<Entry | null> {
  const leave = work.share()
  try {
    return await unlessAborted(landed, signal)
  } finally {
    leave()
  }
}
