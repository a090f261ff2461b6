/** No worker can be started: its codecs cannot be loaded, or it cannot be sandboxed and must be. */
export class WorkersUnusable extends Error {}
