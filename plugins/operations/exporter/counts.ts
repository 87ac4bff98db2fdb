/** Counts exported objects by kind, as reports of imports do: `users`, `page items`, `comments`. */
export class Counts {
  readonly all: Record<string, number> = {}
  /** Number of objects of each kind that have no form in the format, or that the user may not read. */
  readonly skipped: Record<string, number> = {}
  /** Number of exported items. */
  items = 0

  add(kind: string, count = 1): void {
    this.all[kind] = (this.all[kind] ?? 0) + count
    if (kind.endsWith(' items')) this.items += count
  }

  skip(kind: string): void {
    this.skipped[kind] = (this.skipped[kind] ?? 0) + 1
  }

  /** Sentences about skipped objects. */
  notes(): string[] {
    return Object.entries(this.skipped).map(([kind, count]) => `${count} × ${kind} that the REST API does not show`)
  }
}
