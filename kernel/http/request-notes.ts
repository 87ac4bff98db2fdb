/** The note of a request in progress. */
export interface RequestNote {
  setUser(id: number): void
  /** @param pattern of its route */
  setRoute(pattern: string): void
  /** Removes the note. */
  end(): void
}

/** Notes the requests in progress. `svc-serve` notes them where its watchdog can read them while this thread is blocked. */
export interface RequestNotes {
  /** Notes a request until `end` is called. @returns its note; null if it is not noted */
  begin(method: string, url: string): RequestNote | null
}

export const noNotes: RequestNotes = { begin: () => null }
