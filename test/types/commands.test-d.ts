// Type tests of commands and of values of schemas. `npm run check:types` compiles this file; it is never run.
import { expectTypeOf } from 'expect-type'
import type { Arguments, PluginContext } from '../../kernel/index.ts'
import type { ValueOf, ValuesOf } from '../../plugins/library/schemas/index.ts'

declare const addCommand: PluginContext['addCommand']

// Operands and flags have the types of their schemas.
addCommand('garden water', {
  summary: 'Waters a plant.',
  args: {
    plant: { type: 'string', required: true },
    beds: { type: 'array', items: { type: 'integer' } },
  },
  flags: {
    litres: { type: 'number', default: 1 },
    dry_run: { type: 'boolean' },
    when: { type: 'string', enum: ['now', 'later'], default: 'now' },
    place: { type: 'object', properties: { x: { type: 'integer', required: true }, y: { type: ['integer', 'null'] } } },
  },
  run({ operands, flags, json, print }) {
    expectTypeOf(operands).toEqualTypeOf<{ readonly plant: string; readonly beds?: readonly number[] }>()
    expectTypeOf(flags.litres).toEqualTypeOf<number>()
    expectTypeOf(flags.dry_run).toEqualTypeOf<boolean | undefined>()
    expectTypeOf(flags.when).toEqualTypeOf<'now' | 'later'>()
    expectTypeOf(flags.place?.x).toEqualTypeOf<number | undefined>()
    expectTypeOf(flags.place?.y).toEqualTypeOf<number | null | undefined>()
    expectTypeOf(json).toBeBoolean()
    print('done')
    // @ts-expect-error an undeclared flag
    void flags.liters
    return 0
  },
})
addCommand('idle', {
  summary: 'Does nothing.',
  async run({ operands, flags }) {
    expectTypeOf(operands).toEqualTypeOf<{}>()
    expectTypeOf(flags).toEqualTypeOf<{}>()
  },
})
// @ts-expect-error a command needs a summary
addCommand('idle', { run() {} })
// @ts-expect-error a command needs run
addCommand('idle', { summary: 'Does nothing.' })
// @ts-expect-error the exit code is a number
addCommand('idle', { summary: 'Does nothing.', run: () => 'done' })

// Values of schemas.
expectTypeOf<ValueOf<{ type: 'string' }>>().toEqualTypeOf<string>()
expectTypeOf<ValueOf<{ type: readonly ['string', 'null'] }>>().toEqualTypeOf<string | null>()
expectTypeOf<ValueOf<{ anyOf: readonly [{ type: 'string' }, { type: 'boolean' }] }>>().toEqualTypeOf<string | boolean>()
expectTypeOf<ValueOf<{ type: 'array' }>>().toEqualTypeOf<readonly unknown[]>()
expectTypeOf<ValueOf<{ type: 'object' }>>().toEqualTypeOf<Readonly<Record<string, unknown>>>()
expectTypeOf<
  ValueOf<{ type: 'object'; properties: { a: { type: 'string' }; b: { type: 'null' } }; required: readonly ['a'] }>
>().toEqualTypeOf<{ readonly a: string; readonly b?: null }>()
expectTypeOf<ValueOf<{}>>().toBeUnknown()
expectTypeOf<ValuesOf<Arguments>>().toEqualTypeOf<Readonly<Record<string, unknown>>>()
