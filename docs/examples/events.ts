// Events with a venue and a price: lists are filtered and ordered by both, and by when an event begins.
// GET /svc/v2/events?meta[price][lte]=20&meta[venue]=Mill&orderby=meta.begins&order=asc
import { definePlugin } from 'svc-rest'

interface EventsOptions {
  /** The most that a ticket may cost. */
  dearest: number
}

/** Events, and what is asked of them. */
export default definePlugin<EventsOptions>({
  name: 'events',
  needs: ['content-types', 'meta', 'taxonomies'],
  options: { dearest: { default: 1000, type: 'number', minimum: 0 } },
  apply({ hooks, services: { contentTypes, meta, taxonomies } }, { dearest }) {
    contentTypes.register('event', {
      label: 'Events',
      public: true,
      show_in_rest: true,
      rest_base: 'events',
      supports: ['title', 'editor', 'custom-fields'],
    })
    taxonomies.register('event_kind', 'event', { label: 'Kinds', show_in_rest: true, rest_base: 'event-kinds' })

    const event = { subtype: 'event', single: true, filterable: true, sortable: true }
    meta.register('post', 'venue', { ...event, type: 'string', show_in_rest: { schema: { maxLength: 100 } } })
    meta.register('post', 'price', {
      ...event,
      type: 'number',
      show_in_rest: { schema: { minimum: 0, maximum: dearest } },
    })
    meta.register('post', 'begins', { ...event, type: 'string', show_in_rest: { schema: { format: 'date-time' } } })

    // The next event first, unless the request says otherwise.
    hooks.rest_collection_params.for('event').tap('events', (params) => ({
      ...params,
      orderby: { ...params['orderby'], default: 'meta.begins' },
      order: { ...params['order'], default: 'asc' },
    }))
  },
})
