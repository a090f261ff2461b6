/** The folder that names are relative to: the user's, which npm hides from scripts. */
export const userFolder = process.env['ICS_USER_FOLDER'] ?? process.cwd();
