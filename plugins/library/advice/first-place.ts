/** Where something was registered before, as a part of a sentence; empty if that is unknown. */
export function firstPlace(place: string | null): string {
  return place === null ? '' : `, first at ${place}`
}
