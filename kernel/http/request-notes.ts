/** The entry of a request in progress. */
export interface RequestNote {
  setUser(id: number): void
  /** @param pattern pattern of the route */
  setRoute(pattern: string): void
  end(): void
}

/** Records the requests in progress. `svc-serve` records them so that its watchdog can report a blocked process. */
export interface RequestNotes {
  /** Adds a request until `end` is called. @returns its entry; null if it is not recorded */
  begin(method: string, url: string): RequestNote | null
}

export const noNotes: RequestNotes = { begin: () => null }
