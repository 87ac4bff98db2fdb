/** Returns the first code location of a duplicate registration as a part of a sentence; '' if unknown. */
export function firstPlace(place: string | null): string {
  return place === null ? '' : `, first at ${place}`
}
