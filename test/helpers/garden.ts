import { definePlugin, RestError } from '../../kernel/index.ts'
import type {} from '../../plugins/operations/actions/index.ts'

/** A plugin with actions of each kind. */
export default definePlugin({
  name: 'garden',
  needs: ['actions', 'roles', 'settings', 'store'],
  apply({ services }) {
    const { actions, capabilities, options, store } = services
    const litresOf = async () => await options.get<Record<string, number>>('garden_litres', {})

    actions.register('garden/water-plant', {
      label: 'Water a plant',
      description: 'Gives a plant some water.',
      input_schema: {
        type: 'object',
        properties: {
          plant: { type: 'string', minLength: 2, description: 'Its slug.' },
          litres: { type: 'integer', minimum: 1, maximum: 10, default: 1 },
        },
        required: ['plant'],
      },
      output_schema: {
        type: 'object',
        properties: { plant: { type: 'string', required: true }, litres: { type: 'integer', required: true } },
        additionalProperties: false,
      },
      annotations: { destructive: false, idempotent: false },
      // More than 5 litres require an editor.
      permission: ({ litres }, { user }) => capabilities.can(user, litres > 5 ? 'edit_others_posts' : 'edit_posts'),
      async run({ plant, litres }) {
        if (plant === 'cactus') return new RestError('garden_too_wet', 'It would drown.', { status: 409 })
        const all = await litresOf()
        await options.set('garden_litres', { ...all, [plant]: (all[plant] ?? 0) + litres })
        return { plant, litres: (all[plant] ?? 0) + litres }
      },
    })
    actions.register('garden/list-plants', {
      label: 'List the plants',
      description: 'The plants with the water that they got.',
      category: 'reports',
      input_schema: { type: 'object', properties: { least: { type: 'integer', default: 0 } } },
      output_schema: {
        type: 'array',
        items: { type: 'object', properties: { plant: { type: 'string' }, litres: { type: 'integer' } } },
      },
      annotations: { readonly: true },
      permission: () => true,
      run: async ({ least }) =>
        Object.entries(await litresOf())
          .filter(([, litres]) => litres >= least)
          .map(([plant, litres]) => ({ plant, litres })),
    })
    actions.register('garden/clear-bed', {
      label: 'Clear a bed',
      description: 'Removes all plants.',
      annotations: { destructive: true, idempotent: true },
      permission: (_input, { user }) => capabilities.can(user, 'manage_options'),
      run: () => options.set('garden_litres', {}),
    })
    actions.register('garden/count-secretly', {
      label: 'Count',
      description: 'Says that it reads, and writes.',
      annotations: { readonly: true },
      permission: () => true,
      async run() {
        await options.set('garden_litres', { weed: 99 })
      },
    })
    actions.register('garden/lie', {
      label: 'Lie',
      description: 'Returns something else than it says.',
      input_schema: { type: 'object', properties: { whole: { type: 'boolean', default: false } } },
      output_schema: { type: 'object', properties: { count: { type: 'integer' } } },
      permission: () => true,
      // @ts-expect-error a count is no text
      async run() {
        await options.set('garden_litres', { liar: 1 })
        return { count: 'many' }
      },
    })
    actions.register('garden/lie-wholly', {
      label: 'Lie within a transaction',
      description: 'Leaves nothing behind.',
      output_schema: { type: 'integer' },
      transaction: true,
      permission: () => true,
      // @ts-expect-error a count is no text
      async run() {
        await store.run(store.db.insertInto('options').values({ name: 'garden_whole', value: '1' }))
        return 'many'
      },
    })
    actions.register('garden/name', {
      label: 'Name the garden',
      description: 'Takes one text.',
      input_schema: { type: 'string', minLength: 3 },
      output_schema: { type: 'string' },
      permission: () => true,
      run: (name) => `${name}!`,
    })
    actions.register('garden/whisper', {
      label: 'Whisper',
      description: 'Is no route.',
      input_schema: {
        type: 'object',
        properties: { user: { type: 'string', required: true }, port: { type: 'integer' } },
      },
      show_in_rest: false,
      permission: () => true,
      run: (input, { user, via }) => ({ ...input, by: user.id, via }),
    })
  },
})
