// Type tests of actions. `npm run check:types` compiles this file; it is never run.
import { expectTypeOf } from 'expect-type'
import type { RestError } from '../../kernel/index.ts'
import type { ActionDescription, Actions, InputOf } from '../../plugins/operations/actions/index.ts'

declare const actions: Actions
declare const refusal: RestError

// Input and output have the types of their schemas.
actions.register('garden/water-plant', {
  label: 'Water a plant',
  description: 'Gives a plant some water.',
  input_schema: {
    type: 'object',
    properties: {
      plant: { type: 'string' },
      litres: { type: 'number', default: 1 },
      beds: { type: 'array', items: { type: 'integer' } },
    },
    required: ['plant'],
  },
  output_schema: { type: 'object', properties: { litres: { type: 'number', required: true } } },
  permission(input, { user, via }) {
    expectTypeOf(input).branded.toEqualTypeOf<{
      readonly plant: string
      readonly litres: number
      readonly beds?: readonly number[]
    }>()
    expectTypeOf(user.id).toBeNumber()
    expectTypeOf(via).toBeString()
    return input.plant === '' ? refusal : true
  },
  async run({ plant, litres }, { signal }) {
    expectTypeOf(plant).toBeString()
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>()
    return { litres }
  },
})
actions.register('garden/name', {
  label: 'Name',
  description: 'Names it.',
  input_schema: { type: 'string' },
  permission: () => true,
  run: (name) => {
    expectTypeOf(name).toBeString()
    return { anything: name }
  },
})
// Without a schema, there is no input.
actions.register('garden/clear', {
  label: 'Clear',
  description: 'Clears it.',
  permission: () => true,
  run: (input) => expectTypeOf(input).toEqualTypeOf<{}>(),
})
actions.register('garden/lie', {
  label: 'Lie',
  description: 'Returns something else.',
  output_schema: { type: 'integer' },
  permission: () => true,
  // @ts-expect-error the output is an integer
  run: () => 'many',
})
// @ts-expect-error an action needs a permission
actions.register('garden/open', { label: 'Open', description: 'Opens it.', run: () => null })
actions.register('garden/odd', {
  label: 'Odd',
  description: 'Odd.',
  // @ts-expect-error an unknown annotation
  annotations: { readOnly: true },
  permission: () => true,
  run: () => null,
})

expectTypeOf(actions.get('garden/name')).toEqualTypeOf<ActionDescription | undefined>()
expectTypeOf(actions.execute('garden/name', 'Eden', { user: { id: 1 } })).resolves.toBeUnknown()
expectTypeOf<InputOf<{ type: 'array'; items: { type: 'boolean' } }>>().toEqualTypeOf<readonly boolean[]>()
