<?php
$read = $_POST ? [['fields' => $_POST]] : [];
foreach ($_FILES as $field => $all) {
    // With brackets, every member is a list.
    foreach (array_map(null, ...array_map(fn ($one) => (array) $one, array_values($all))) as [$name, , $type, $file, $error])
        $read[] = compact('field', 'name', 'type', 'error') + ['bytes' => $file ? base64_encode(file_get_contents($file)) : ''];
}
echo json_encode($read ?: [['bytes' => base64_encode(file_get_contents('php://input'))]]);
