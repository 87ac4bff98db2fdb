import type { Rendering } from '../renderer.ts'

/** The page that the request asks for, from 1. @param parameter its name in the query */
export function askedPage(parameter: string, most: number, { scope }: Rendering): number {
  return Math.min(Math.max(Math.trunc(Number(scope.parameter(parameter))) || 1, 1), most)
}
