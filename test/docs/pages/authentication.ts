import type { Examples } from '../pages.ts'

export default {
  prelude: [
    'declare const buyer: number',
    'declare function userOfToken(authorization: string | null): Promise<number | undefined>',
  ],
  prints: [
    /"slug":"admin"/,
    /"slug":"admin"[\s\S]*"raw":"Hello"/,
    /laptop[\s\S]*"slug":"admin"/,
    /"name":"laptop"[\s\S]*"password":"/,
    /provisioning/,
    /\{"expires":"/,
  ],
} satisfies Examples as Examples
