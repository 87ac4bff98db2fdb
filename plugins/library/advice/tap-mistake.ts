import { hint, METHODS, type GivenTap } from '../../../kernel/index.ts'
import { dependsOnMistake } from '../caching/index.ts'
import { shapeMistake, type Shapes } from './shapes.ts'

const TAP: Shapes<GivenTap> = {
  name: 'text',
  stage: 'number',
  before: ['text', 'list'],
  dependsOn: ['text', 'list', 'function'],
  cache: 'flag',
  required: 'flag',
  types: ['text', 'list'],
  methods: ['text', 'list'],
  fields: ['text', 'list'],
  context: ['text', 'list'],
}
/** Words for them elsewhere. */
const MEANT = { priority: 'stage', order: 'stage', type: 'types', method: 'methods', field: 'fields' }

/** What taps may be for, where that is one of a few words. */
const WORDS = { methods: METHODS.filter((method) => method !== 'HEAD'), context: ['view', 'embed', 'edit'] } as const

/** What is wrong with how a plugin taps; null where nothing is. */
export function tapMistake(given: GivenTap, tap: unknown, beyond: readonly unknown[]): string | null {
  if (typeof given === 'function') return "its own name comes first: tap('my-plugin', (value) => …)"
  const wrong = shapeMistake(given, TAP, MEANT)
  if (wrong !== null) return `the tap ${wrong}`
  if (given.name === undefined || given.name.trim() === '') return 'the tap has no name: give it that of the plugin'
  for (const [key, words] of Object.entries(WORDS)) {
    const said: readonly string[] = [given[key as keyof typeof WORDS] ?? []].flat()
    const unknown = said.find((one) => !(words as readonly string[]).includes(one))
    if (unknown !== undefined)
      return `the tap has ${key}: "${unknown}"${unknown === 'HEAD' ? ': HEAD is a GET' : hint(unknown, words)}`
  }
  const undeclared = dependsOnMistake(given.dependsOn)
  if (undeclared !== null) return `the tap ${undeclared}`
  if (typeof tap !== 'function') return `the tap ${given.name} has no function`
  if (beyond.length === 0) return null
  return `nothing comes after the function: say { name: '${given.name}', stage: … } in place of the name`
}
