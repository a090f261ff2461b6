/** What a start says about variables that are no settings, and about ports that are taken. */
import { createServer } from 'node:net';
import { portOf } from '../support/listening';
import { ORDINARY_ENVIRONMENTS } from '../support/ordinary-environments';
import { startService } from '../support/service';

it('a misspelt access control stops the start, and is named with all other faults', async () => {
  const start = startService({ SIGNUPS: 'closed', LOG_LEVEL: 'x', CORS_ORIGINS: 'https://a.example.com/' });
  await expect(start).rejects.toThrow(
    /^Exit 2: .*3 errors:(?=.*SIGNUPS: .*mean SIGNUP\?)(?=.*CORS_ORIGINS=)(?=.*LOG_LEVEL=x: must be one of fatal, )/s,
  );
});

it('a misspelt setting is a warning, and an ordinary environment none', async () => {
  const given = Object.assign({ WORKER: '2' }, ...Object.values(ORDINARY_ENVIRONMENTS)) as Record<
    string,
    string
  >;
  const service = await startService(given);
  const said = service
    .logs()
    .flatMap(({ level, message }) => (/is not a setting/.test(String(message)) ? [level, message] : []));
  expect(said).toEqual(['warn', 'WORKER is not a setting; did you mean WORKERS?']);
  expect(await service.stop()).toBe(0);
});

it('a taken port is named with its variable', async () => {
  const server = createServer();
  const taken = String(await portOf(server));
  const expectRefusal = (env: Record<string, string>, words: string) =>
    expect(startService(env)).rejects.toThrow(`Port ${taken} is already in use: ${words}`);
  await expectRefusal({ PORT: taken }, 'set PORT, or');
  await expectRefusal({ METRICS_PORT: taken }, 'set METRICS_PORT to');
  server.close();
  await expectRefusal({ PORT: taken, METRICS_PORT: taken }, 'PORT and METRICS_PORT are the same.');
});
