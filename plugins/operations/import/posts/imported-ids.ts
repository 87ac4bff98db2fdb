/** The IDs that things of the file have on this site; 0 for what is not here. */
export interface ImportedIds {
  item(id: number): number
  term(taxonomy: string, id: number): number
  user(id: number): number
  /** Called for a block whose `id` may be the ID of something, or anything else. */
  unclear(block: string): void
}

/** IDs between commas, without those that are not here. */
export function mapList(text: string, map: (id: number) => number): string {
  const ids = text.split(',').map((id) => map(Number(id)))
  return ids.filter((id) => id > 0).join(',')
}
