/** A test of what only Linux has or shows. */
export const onLinux = process.platform === 'linux' ? it : it.skip;
