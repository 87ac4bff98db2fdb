import { shapeMistake, type Shapes } from '../shapes.ts'
import type { Concern } from './concern.ts'
import type { OwnedTap } from './steps.ts'

/** What plugins say of a tap. */
export type GivenTap = Partial<OwnedTap> & Concern

const TAP: Shapes<Omit<GivenTap, 'type' | 'fn' | 'registration'>> = {
  name: 'text',
  stage: 'number',
  before: ['text', 'list'],
  dependsOn: ['text', 'list', 'function'],
  types: ['text', 'list'],
  methods: ['text', 'list'],
  fields: ['text', 'list'],
  context: ['text', 'list'],
}
/** Words for them elsewhere. */
const MEANT = { priority: 'stage', order: 'stage', type: 'types', method: 'methods', field: 'fields' }

/** What is wrong with how a plugin taps; null where nothing is. */
export function tapMistake(given: GivenTap, tap: unknown): string | null {
  if (typeof given === 'function') return "its own name comes first: tap('my-plugin', (value) => …)"
  const wrong = shapeMistake(given, TAP, MEANT)
  if (wrong !== null) return `the tap ${wrong}`
  if (given.name === undefined || given.name.trim() === '') return 'the tap has no name: give it that of the plugin'
  return typeof tap === 'function' ? null : `the tap ${given.name} has no function`
}
