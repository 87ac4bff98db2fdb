/** Suggestions for misspelled names. */
export { hint } from './hint.ts'
export { suggest } from './suggest.ts'
