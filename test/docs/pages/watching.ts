import type { Examples } from '../pages.ts'

export default { prints: [/^Serving/m] } satisfies Examples as Examples
