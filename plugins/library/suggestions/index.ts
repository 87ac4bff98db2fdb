/** What a misspelt name may have meant. */
export { hint } from './hint.ts'
export { suggest } from './suggest.ts'
