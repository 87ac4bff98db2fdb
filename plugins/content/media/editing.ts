import { validateValue } from '../../requests/arguments/index.ts'
import type { Arguments, ArgumentSchema, RestRequest } from '../../../kernel/index.ts'
import type { ImageChange } from './images/edit-image.ts'
import { errors } from './errors.ts'
import { WHOLE_SIZES, type SubSize } from './later-files.ts'

const MAX_CHANGES = 20
const MAX_SUB_SIZES = 100

const percent = (description: string): ArgumentSchema => ({ description, type: 'number' })
const limited = (schema: ArgumentSchema): ArgumentSchema => ({ ...schema, minimum: 0, maximum: 100 })

const CROP: Readonly<Record<string, ArgumentSchema>> = {
  left: percent('Where the crop begins from the left, in percent of the width.'),
  top: percent('Where the crop begins from the top, in percent of the height.'),
  width: percent('Width of the crop, in percent of the width.'),
  height: percent('Height of the crop, in percent of the height.'),
}

function modifier(type: string, title: string, args: Readonly<Record<string, ArgumentSchema>>): ArgumentSchema {
  return {
    title,
    properties: {
      type: { description: 'Type of the change.', type: 'string', enum: [type] },
      args: { description: 'Arguments of the change.', type: 'object', required: Object.keys(args), properties: args },
    },
  }
}

/** Returns the arguments of the edit route. @param texts arguments for the texts of the new attachment */
export function editArguments(since: (version: string) => boolean, texts: Arguments): Arguments {
  const rotate = modifier('rotate', 'Rotation', {
    angle: { description: 'Clockwise rotation in degrees.', type: 'number' },
  })
  const flip = modifier('flip', 'Flip', {
    flip: {
      description: 'Axes to flip.',
      type: 'object',
      required: ['horizontal', 'vertical'],
      properties: {
        horizontal: { description: 'Whether to swap left and right.', type: 'boolean' },
        vertical: { description: 'Whether to swap top and bottom.', type: 'boolean' },
      },
    },
  })
  const oneOf = [...(since('7.0') ? [flip] : []), rotate, modifier('crop', 'Crop', CROP)]
  return {
    src: {
      description: 'URL of the image to edit.',
      type: 'string',
      format: 'uri',
      required: true,
      references: 'media_file',
    },
    ...(since('5.7') && {
      modifiers: {
        description: 'Changes to apply to the image, in order.',
        type: 'array',
        minItems: 1,
        maxItems: MAX_CHANGES,
        items: { description: 'One change.', type: 'object', required: ['type', 'args'], oneOf },
      },
    }),
    rotation: {
      description: 'Clockwise rotation in degrees. Deprecated: use modifiers.',
      type: 'integer',
      minimum: 0,
      exclusiveMinimum: true,
      maximum: 360,
      exclusiveMaximum: true,
    },
    x: limited(CROP['left']!),
    y: limited(CROP['top']!),
    width: limited(CROP['width']!),
    height: limited(CROP['height']!),
    ...(since('6.9') && texts),
  }
}

/** Returns the changes that a request makes. @throws rest_image_not_edited if it makes none */
export function changesOf(request: RestRequest): ImageChange[] {
  const modifiers = request.get('modifiers') as { type: string; args: Record<string, unknown> }[] | undefined
  if (Array.isArray(modifiers)) return modifiers.map(({ type, args }) => changeOf(type, args))
  const changes: ImageChange[] = []
  if (request.get('rotation')) changes.push(changeOf('rotate', { angle: request.get('rotation') }))
  const [x, y] = [request.get('x') ?? 0, request.get('y') ?? 0]
  const [width, height] = [request.get('width'), request.get('height')]
  if (width !== undefined || height !== undefined) {
    changes.push(changeOf('crop', { left: x, top: y, width: width ?? 100, height: height ?? 100 }))
  }
  if (changes.length === 0) throw errors.rest_image_not_edited()
  return changes
}

function changeOf(type: string, args: Readonly<Record<string, unknown>>): ImageChange {
  if (type === 'rotate') return { type, angle: Number(args['angle']) }
  if (type === 'flip') {
    const { horizontal, vertical } = (args['flip'] ?? {}) as Record<string, unknown>
    return { type, horizontal: horizontal === true, vertical: vertical === true }
  }
  const side = (name: string) => Math.min(Math.max(Number(args[name]), -10_000), 10_000)
  return { type: 'crop', left: side('left'), top: side('top'), width: side('width'), height: side('height') }
}

/** Returns the argument with the size of an uploaded version. @param regular names of registered sizes */
export function imageSizeArgument(regular: readonly string[]): ArgumentSchema {
  return {
    description: `Name of the size, or of several that the file is for: ${[...regular, ...WHOLE_SIZES].join(', ')}.`,
    type: ['string', 'array'],
    required: true,
    minLength: 1,
    minItems: 1,
    maxItems: 20,
    items: { type: 'string', minLength: 1, enum: [...regular] },
    references: 'image_size',
  }
}

/** Returns the argument with the uploaded versions to add to an image. */
export function subSizesArgument(regular: readonly string[]): ArgumentSchema {
  const name: ArgumentSchema = { type: 'string', minLength: 1, enum: [...regular, ...WHOLE_SIZES] }
  const schema: ArgumentSchema = {
    description: 'The versions to add, as returned by the sideload route.',
    type: 'array',
    default: [],
    maxItems: MAX_SUB_SIZES,
    items: {
      type: 'object',
      properties: {
        image_size: {
          description: 'Name of the size, or of several that the file is for.',
          type: ['string', 'array'],
          required: true,
          minLength: 1,
          minItems: 1,
          items: name,
        },
        width: { type: 'integer', minimum: 1, maximum: 100_000 },
        height: { type: 'integer', minimum: 1, maximum: 100_000 },
        file: { type: 'string', required: true, minLength: 1, maxLength: 500 },
        mime_type: { type: 'string', pattern: '^image/.*' },
        filesize: { type: 'integer', minimum: 1 },
        original_image: { type: 'string', minLength: 1, maxLength: 500 },
      },
    },
  }
  return {
    ...schema,
    validate_callback: (value, _request, param) => {
      const valid = validateValue(value, schema, param)
      if (valid !== true) return valid
      const sizes = (Array.isArray(value) ? value : []) as SubSize[]
      for (const { image_size: size } of sizes) {
        // The schema has already validated the items of a list.
        const result = typeof size === 'string' ? validateValue(size, name, param) : true
        if (result !== true) return result
      }
      return true
    },
  }
}
