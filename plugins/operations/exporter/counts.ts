/** Counts exported objects by kind, as reports of imports do: `users`, `page items`, `comments`. */
export class Counts {
  readonly all: Record<string, number> = {}
  /** Number of exported items. */
  items = 0

  add(kind: string, count = 1): void {
    this.all[kind] = (this.all[kind] ?? 0) + count
    if (kind.endsWith(' items')) this.items += count
  }
}
