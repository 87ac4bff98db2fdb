import type { PluginContext } from '../../../kernel/index.ts'
import { Counts } from './counts.ts'
import { selectionOf } from './selection.ts'
import type { ExportOptions } from './types.ts'
import { FormatNames } from './wxr/names.ts'
import { writeWxr } from './wxr/write-wxr.ts'

/** Pieces of text that wait to be requested. */
const MAX_WAITING_PIECES = 64

/**
 * Yields an export as text. The snapshot is open while the text is read, and closed when the reader stops early. See
 * `Exporter.stream`.
 */
export async function* streamSite(
  plugin: PluginContext,
  { filter, revisions }: Pick<ExportOptions, 'filter' | 'revisions'>,
): AsyncGenerator<string> {
  const { readable, writable } = new TransformStream<string, string>(
    {},
    { highWaterMark: MAX_WAITING_PIECES },
    { highWaterMark: MAX_WAITING_PIECES },
  )
  const names = new FormatNames(plugin.branding.typeName(''))
  const writer = writable.getWriter()
  // The snapshot belongs to the function that runs in it, so the text passes through a stream.
  const writing = plugin.services.store
    .snapshot(async (reader) => {
      const selection = await selectionOf(plugin, reader, names, filter, revisions)
      for await (const { text } of writeWxr({ plugin, reader, selection, names, counts: new Counts() })) {
        await writer.ready
        await writer.write(text)
      }
      await writer.close()
    })
    .catch((error: unknown) => writer.abort(error))
  try {
    yield* readable
  } finally {
    await writing.catch(() => {})
  }
}
