import type { Rendering } from '../renderer.ts'

/** Returns the requested page number, between 1 and `max`. @param parameter name of the query parameter */
export function requestedPage(parameter: string, max: number, { scope }: Rendering): number {
  return Math.min(Math.max(Math.trunc(Number(scope.parameter(parameter))) || 1, 1), max)
}
