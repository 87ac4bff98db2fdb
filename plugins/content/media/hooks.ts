import { syncFilter, type CurrentUser, type HookSpecs, type SyncFilter } from '../../../kernel/index.ts'
import type { PostTypes } from '../posts/index.ts'
import type { FileTypes } from './files/file-types.ts'

/** The hooks of media. */
interface MediaHooks {
  /**
   * Filter: the MIME types of the files that a user may upload, by extension in lower case. The content of files with a
   * type that is not a default is not checked: a plugin that adds a type is responsible for it. @since 0.1.0
   */
  upload_mimes: SyncFilter<FileTypes, [user: CurrentUser]>
}

declare module '../../../kernel/index.ts' {
  interface ItemTypes {
    attachment: PostTypes
  }
  interface Hooks extends MediaHooks {}
}

export const mediaHooks: HookSpecs<MediaHooks> = { upload_mimes: syncFilter('types', 'user') }
