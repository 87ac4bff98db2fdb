import { parseValue, UNLIMITED_TEXT, validateValue } from '../../requests/arguments/index.ts'
import type { ArgumentSchema, Arguments } from '../../../kernel/index.ts'
import type { SchemaType } from '../../library/schemas/index.ts'
import type { PropertySchema } from '../../resources/index.ts'

/** Values of `media_type`, starting with the most common one. */
const MEDIA_TYPES = ['image', 'video', 'text', 'application', 'audio'] as const

const EVERYWHERE = ['view', 'edit', 'embed'] as const
const READERS = ['view', 'edit'] as const
const EDITORS = ['edit'] as const

/**
 * Returns the list arguments specific to media.
 * @param since whether the emulated WordPress version is at least the given one
 */
export function mediaListArguments(since: (version: string) => boolean): Arguments {
  const limit = (description: string, schema: ArgumentSchema): ArgumentSchema =>
    since('6.9')
      ? { description, type: 'array', items: schema, default: null }
      : { description, ...schema, default: null }
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

/**
 * Returns the arguments for the focal point and the decorative flag. They are hidden because existing clients do not
 * know them.
 */
export function imageArguments(): Arguments {
  const part = (description: string) => ({ description, type: 'number', minimum: 0, maximum: 1 }) as const
  const point: ArgumentSchema = {
    description: 'Point of the image that stays visible when the image is cropped; null for none.',
    type: 'object',
    properties: {
      x: part('Distance from the left as a fraction of the width, from 0 to 1.'),
      y: part('Distance from the top as a fraction of the height, from 0 to 1.'),
    },
    required: ['x', 'y'],
    additionalProperties: false,
  }
  return {
    focal_point: {
      ...point,
      hidden: true,
      // Validates null separately: a schema with two types would not report which property is invalid.
      validate_callback: (value) => value === null || validateValue(value, point, 'focal_point'),
      sanitize_callback: (value) => (value === null ? null : parseValue(value, point, 'focal_point')),
    },
    decorative: {
      description: 'Whether the image is decorative and needs no alternative text.',
      type: 'boolean',
      hidden: true,
    },
  }
}

/** Quality of an encoded image. */
const QUALITY: PropertySchema = { type: 'integer', minimum: 1, maximum: 100 }

/**
 * Returns the properties specific to media items.
 * @param sizes names of the registered image sizes
 */
export function mediaProperties(
  since: (version: string) => boolean,
  sizes: readonly string[],
): Record<string, PropertySchema> {
  const attachedTo: ArgumentSchema = { description: 'ID of the post that the file is attached to.', type: 'integer' }
  return {
    alt_text: { description: 'Alternative text of an image.', type: 'string', context: EVERYWHERE },
    caption: text('Caption of the file.', EVERYWHERE),
    description: text('Description of the file.', READERS),
    media_type: { ...readOnly('Whether the file is an image.', 'string', EVERYWHERE), enum: ['image', 'file'] },
    mime_type: readOnly('MIME type of the file.', 'string', EVERYWHERE),
    media_details: readOnly('Dimensions, versions and other details of the file.', 'object', EVERYWHERE),
    post: {
      ...attachedTo,
      context: READERS,
      references: 'media_parent',
      arg_options: {
        // Clients read null for files without a parent post and send it back.
        validate_callback: (value) => value === null || validateValue(value, attachedTo, 'post'),
        sanitize_callback: (value) => (value === null ? 0 : parseValue(value, attachedTo, 'post')),
      },
    },
    source_url: { ...readOnly('URL of the file.', 'string', EVERYWHERE), format: 'uri' },
    missing_image_sizes: {
      ...readOnly('Names of the registered sizes that are missing.', 'array', EDITORS),
      items: { type: 'string' },
    },
    ...(since('7.0') && {
      filename: readOnly('Name of the file.', 'string', READERS),
      filesize: { ...readOnly('Size of the file, in bytes.', 'integer', READERS), type: ['integer', 'null'] },
      exif_orientation: readOnly('EXIF orientation of the image, from 1 (upright) to 8.', 'integer', EDITORS),
    }),
    ...(since('7.1') && {
      image_quality: {
        ...readOnly('Quality with which versions of the image are encoded, from 1 to 100.', 'object', EDITORS),
        properties: {
          default: QUALITY,
          sizes: { type: 'object', properties: Object.fromEntries(sizes.map((name) => [name, QUALITY])) },
        },
      },
      image_output_format: {
        ...readOnly('MIME type of stored versions; null for the type of the image.', 'string', EDITORS),
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
    // Clients can send a string as well, of any length that the body limit allows; it is parsed when it is stored.
    arg_options: { validate_callback: null, sanitize_callback: null, size_limits: UNLIMITED_TEXT },
    properties: {
      raw: { description: 'Text as it is stored.', type: 'string', context: EDITORS },
      rendered: { description: 'Text as HTML, for display.', type: 'string', context, readonly: true },
    },
  }
}
