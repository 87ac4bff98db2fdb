import { parseValue, TEXTS_OF_ANY_LENGTH, validateValue } from '../../requests/arguments/index.ts'
import type { ArgumentSchema, Arguments } from '../../../kernel/index.ts'
import type { SchemaType } from '../../library/schemas/index.ts'
import type { PropertySchema } from '../../resources/index.ts'

/** What a list of media can be limited to; images first, as most files are. */
const MEDIA_TYPES = ['image', 'video', 'text', 'application', 'audio'] as const

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const
const EDITORS = ['edit'] as const

/**
 * The arguments of a list of media beside those of every list of posts.
 * @param since whether the revision has what came with a version
 */
export function mediaListArguments(since: (version: string) => boolean): Arguments {
  const limit = (description: string, one: ArgumentSchema): ArgumentSchema =>
    since('6.9') ? { description, type: 'array', items: one, default: null } : { description, ...one, default: null }
  return {
    media_type: limit('Limits the list to media of this type.', { type: 'string', enum: [...MEDIA_TYPES] }),
    lacks_alt_text: {
      description: 'Limits the list to images that have no alternative text and are not marked as decorative.',
      type: 'boolean',
      default: false,
      hidden: true,
    },
    mime_type: limit('Limits the list to media of this MIME type.', { type: 'string' }),
  }
}

/** What users may say of an image beside its texts. Existing clients would not know it. */
export function imageArguments(): Arguments {
  const part = (description: string) => ({ description, type: 'number', minimum: 0, maximum: 1 }) as const
  const point: ArgumentSchema = {
    description: 'The point of an image that stays in sight where the image is cut off; null for none.',
    type: 'object',
    properties: {
      x: part('From the left, as a part of the width.'),
      y: part('From the top, as a part of the height.'),
    },
    required: ['x', 'y'],
    additionalProperties: false,
  }
  return {
    focal_point: {
      ...point,
      hidden: true,
      // Of one type alone, so that an error says which part is wrong.
      validate_callback: (value) => value === null || validateValue(value, point, 'focal_point'),
      sanitize_callback: (value) => (value === null ? null : parseValue(value, point, 'focal_point')),
    },
    decorative: {
      description: 'Whether the image only decorates, and needs no alternative text.',
      type: 'boolean',
      hidden: true,
    },
  }
}

/** The properties of a media item beside those of every post. */
export function mediaProperties(since: (version: string) => boolean): Record<string, PropertySchema> {
  const attachedTo: ArgumentSchema = { description: 'ID of the post that the file is attached to.', type: 'integer' }
  return {
    ...(since('6.5') && {
      featured_media: {
        description: 'ID of the image that stands for the file.',
        type: 'integer',
        context: EVERYWHERE,
      },
    }),
    alt_text: { description: 'Alternative text of an image.', type: 'string', context: EVERYWHERE },
    caption: text('Caption of the file.', EVERYWHERE),
    description: text('Description of the file.', READERS),
    media_type: { ...readOnly('Whether the file is an image.', 'string', EVERYWHERE), enum: ['image', 'file'] },
    mime_type: readOnly('MIME type of the file.', 'string', EVERYWHERE),
    media_details: readOnly('Dimensions, versions and other details of the file.', 'object', EVERYWHERE),
    post: {
      ...attachedTo,
      context: READERS,
      arg_options: {
        // Null is what clients read where the file is attached to no post.
        validate_callback: (value) => value === null || validateValue(value, attachedTo, 'post'),
        sanitize_callback: (value) => (value === null ? 0 : parseValue(value, attachedTo, 'post')),
      },
    },
    source_url: { ...readOnly('URL of the file.', 'string', EVERYWHERE), format: 'uri' },
    missing_image_sizes: {
      ...readOnly('Names of the registered sizes that the image does not have.', 'array', EDITORS),
      items: { type: 'string' },
    },
    ...(since('7.0') && {
      filename: readOnly('Name of the file.', 'string', READERS),
      filesize: readOnly('Size of the file, in bytes.', 'integer', READERS),
      exif_orientation: readOnly('How the image lies, as cameras say it: 1 is upright.', 'integer', EDITORS),
    }),
    ...(since('7.1') && {
      image_quality: {
        ...readOnly('Quality with which versions of the image are encoded, from 1 to 100.', 'object', EDITORS),
        properties: {
          default: { description: 'That of all sizes that are not named.', type: 'integer' },
          sizes: { description: 'By the name of the size.', type: 'object' },
        },
      },
      image_output_format: {
        ...readOnly('MIME type that versions of the image are stored in; null for its own.', 'string', EDITORS),
        type: ['string', 'null'],
      },
      image_save_progressive: readOnly('Whether versions of the image are encoded progressively.', 'boolean', EDITORS),
    }),
  }
}

function readOnly(description: string, type: SchemaType, context: readonly string[]): PropertySchema {
  return { description, type, context, readonly: true }
}

function text(description: string, context: readonly string[]): PropertySchema {
  return {
    description,
    type: 'object',
    context,
    // Can be written as a string as well, as long as a body may be: it is parsed where it is stored.
    arg_options: { validate_callback: null, sanitize_callback: null, size_limits: TEXTS_OF_ANY_LENGTH },
    properties: {
      raw: { description: 'As it is stored.', type: 'string', context: EDITORS },
      rendered: { description: 'As it is shown, in HTML.', type: 'string', context, readonly: true },
    },
  }
}
