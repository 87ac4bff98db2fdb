// Events with a venue, a price and a start: lists can be filtered and sorted by all three.
// GET /svc/v2/events?meta[price][lte]=20&meta[venue]=Mill&orderby=meta.begins&order=asc
import { definePlugin } from 'svc-rest'

interface EventsOptions {
  /** Maximum price of a ticket. */
  dearest: number
}

/** Registers the content type `event`, its taxonomy and its meta fields. */
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

    // Sorted by start, earliest first, unless the request has another order.
    hooks.rest_collection_params.for('event').tap('events', (params) => ({
      ...params,
      orderby: { ...params['orderby'], default: 'meta.begins' },
      order: { ...params['order'], default: 'asc' },
    }))
  },
})
