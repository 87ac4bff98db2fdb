import type { PropertySchema } from '../../resources/index.ts'

/** A property of webhooks and deliveries that is shown in every context. */
export function shown(schema: Omit<PropertySchema, 'context'>): PropertySchema {
  return { context: ['view', 'edit', 'embed'], ...schema }
}

/** A property that only the server sets. */
export function readOnly(description: string, more: Omit<PropertySchema, 'context'>): PropertySchema {
  return shown({ description, readonly: true, ...more })
}
