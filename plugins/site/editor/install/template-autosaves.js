import { store as coreData } from '@wordpress/core-data'
import { select } from '@wordpress/data'

/** Path of the autosaves of a template: kind and ID. */
const AUTOSAVES = /^\/wp\/v2\/(template|template-part)s\/(.+)\/autosaves(?:\?|$)/

/**
 * Answers requests for autosaves of templates that are theme files without asking the server. These have no autosaves
 * until they are changed, but the editor requests them all the same, and browsers would log the 400 response to the
 * console.
 */
export function templateAutosaves(options, next) {
  const [, kind, id] = AUTOSAVES.exec(options.path ?? '') ?? []
  if (id === undefined) return next(options)
  const name = kind === 'template' ? 'wp_template' : 'wp_template_part'
  const template = select(coreData).getEntityRecord('postType', name, decodeURIComponent(id))
  if (template === undefined || template.wp_id > 0) return next(options)
  if ((options.method ?? 'GET') === 'GET') return Promise.resolve([])
  const error = new Error('The template is a theme file, which has no autosaves.')
  return Promise.reject(Object.assign(error, { code: 'rest_invalid_template', data: { status: 400 } }))
}
